/** Spans for an app that has OpenTelemetry: each turn, and in it the calls of the agent. */
import { randomUUID } from 'node:crypto';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { startFakeAgent } from '../support/fake-agent.ts';
import { startInside } from '../support/helper-inside.ts';
import { secrets, target } from '../support/helper-process.ts';
import { makePause, pauseWith, resumeWith } from '../support/pause.ts';
import { makeQuestion, toTurnPath } from '../support/visitor.ts';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
trace.setGlobalTracerProvider(provider);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const agent = await startFakeAgent();
afterAll(() => agent.close());

let helper: ReturnType<typeof startInside>;
let session: string;
beforeEach(async () => {
  helper = startInside(agent.url, { store: createMemoryStore() });
  session = await helper.openSession();
  exporter.reset();
});
afterEach(() => helper.stop());

const turnSpan = `invoke_agent ${target.botId}`;
const find = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name);
/** Ended a moment after the reader has its end. */
const untilTurns = (count: number) => vi.waitFor(() => expect(find(turnSpan)).toHaveLength(count));
const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;

async function ask(question = makeQuestion()) {
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const path = toTurnPath(conversationId, turnId);
  const reply = await helper.send(session, 'PUT', path, { text: question });
  return { path, turnId, told: await reply.text() };
}

test('a turn is a span under the request’s, the agent’s calls are spans under it, and nothing of a visitor is in them', async () => {
  const tracer = trace.getTracer('app');
  const request = tracer.startSpan('PUT');
  const question = makeQuestion();
  const { turnId, told } = await context.with(trace.setSpan(context.active(), request), () => ask(question));
  expect(told).toContain('turn-completed');
  await untilTurns(1);
  const [turn] = find(turnSpan);
  expect(parentOf(turn)).toBe(request.spanContext().spanId);
  expect(turn?.attributes).toEqual({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.id': target.botId,
    'porchlight.turn.id': turnId,
    'porchlight.turn.end': 'completed',
    'porchlight.turn.first_word_ms': expect.any(Number),
  });
  const [call] = find('POST /v1/bot/chat');
  expect(parentOf(call)).toBe(turn?.spanContext().spanId);
  expect(call?.kind).toBe(SpanKind.CLIENT);
  expect(call?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.response.status_code': 200,
    'server.address': '127.0.0.1',
    'url.template': '/v1/bot/chat',
  });
  const all = JSON.stringify(
    exporter.getFinishedSpans().map(({ name, attributes, events }) => [name, attributes, events]),
  );
  const chatId = String(agent.chatsAbout(question)[0]?.body.chat_id);
  for (const secret of [question, secrets.apiKey, session, chatId]) expect(all).not.toContain(secret);
});

test('a failure says its code', async () => {
  agent.nextChat((answer) => answer.refuse(402));
  await ask();
  await untilTurns(1);
  const [turn] = find(turnSpan);
  expect(turn?.status.code).toBe(SpanStatusCode.ERROR);
  expect(turn?.attributes).toMatchObject({ 'porchlight.turn.end': 'failed', 'error.type': 'agent-refused' });
  const [call] = find('POST /v1/bot/chat');
  expect(call?.attributes).toMatchObject({ 'http.response.status_code': 402, 'error.type': '402' });
});

test('until its visitor decides and from then on are two spans', async () => {
  agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: { orderNumber: 'LF-1' } })));
  const { path } = await ask();
  await untilTurns(1);
  agent.nextResume(resumeWith('On its way.'));
  expect((await helper.send(session, 'POST', `${path}/decision`, { decision: 'approve' })).status).toBe(202);
  await untilTurns(2);
  expect(find(turnSpan).map(({ attributes }) => attributes['porchlight.turn.end'])).toEqual([
    'paused',
    'completed',
  ]);
  const [resumed] = find('POST /v1/bot/chat/execute-tool');
  expect(parentOf(resumed)).toBe(find(turnSpan)[1]?.spanContext().spanId);
});

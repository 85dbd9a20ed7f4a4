/** The log's lines by the ids that tie them together. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { startFakeAgent } from '../support/fake-agent.ts';
import { startInside } from '../support/helper-inside.ts';
import { makeQuestion, toTurnPath } from '../support/visitor.ts';

const agent = await startFakeAgent();
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
let helper: ReturnType<typeof startInside>;
let session: string;
async function start(options: Partial<Parameters<typeof startInside>[1]> = {}) {
  helper = startInside(agent.url, { store: createMemoryStore(), log, ...options });
  session = await helper.openSession();
}
beforeEach(() => vi.clearAllMocks());
afterEach(() => helper.stop());

const readId = (reply: Response) => reply.headers.get('x-request-id');
const toLines = (message: string) =>
  log.info.mock.calls.filter(([, said]) => said === message).map(([fields]) => fields as object);

test('a turn’s line names its request, itself and a hash of its conversation; its end names it again', async () => {
  await start();
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const reply = await helper.send(session, 'PUT', toTurnPath(conversationId, turnId), {
    text: makeQuestion(),
  });
  await reply.text();
  const conversation = expect.stringMatching(/^[\da-f]{16}$/);
  expect(toLines('turn begun')).toEqual([{ requestId: readId(reply), turnId, conversation }]);
  await vi.waitFor(() => expect(toLines('turn ended')).toMatchObject([{ turnId, status: 'completed' }]));
  expect(JSON.stringify(log.info.mock.calls)).not.toContain(conversationId);
});

test('a refusal is named once a minute, by the id that its reply carries', async () => {
  await start();
  const first = await helper.send(session, 'GET', `/conversations/${randomUUID()}`);
  const second = await helper.send(session, 'GET', `/conversations/${randomUUID()}`);
  expect([first.status, second.status]).toEqual([404, 404]);
  expect(toLines('a request was refused')).toEqual([{ code: 'not-found', requestId: readId(first) }]);
  expect(readId(second)).not.toBe(readId(first));
});

test('a session that another process has signed with a secret of its own is told to the owner, once a minute', async () => {
  await start();
  const foreign = session;
  await helper.stop();
  await start();
  for (const one of [foreign, foreign, session])
    await helper.send(one, 'GET', '/conversations').then((reply) => reply.text());
  expect(log.warn.mock.calls).toEqual([
    [{}, 'a session of another secret came: do all processes have the same session secret?'],
  ]);
});

const ask = (id: string) =>
  helper.send(session, 'GET', '/conversations', undefined, { 'x-request-id': id }).then(readId);

test('an id is a trusted proxy’s own, in its shape, and never a visitor’s', async () => {
  await start();
  expect(await ask('of-a-visitor')).toMatch(/^[\da-f-]{36}$/);
  await helper.stop();
  await start({ trustedProxies: 1 });
  expect(await ask('0f9a-of-nginx')).toBe('0f9a-of-nginx');
  expect(await ask('what I think of you')).toMatch(/^[\da-f-]{36}$/);
});

async function askOne() {
  const reply = await helper.send(session, 'PUT', toTurnPath(randomUUID(), randomUUID()), {
    text: makeQuestion(),
  });
  return reply.text();
}

test('a workspace function that gives nothing is the reason in the log, not a refusal of the agent', async () => {
  await start({ workspace: () => undefined as unknown as string });
  expect(await askOne()).toContain('"code":"internal"');
  const reason = 'The option workspace gave no uuid';
  expect(log.warn.mock.calls.at(-1)).toMatchObject([{ code: 'internal', reason }, 'a turn failed']);
});

test('an error that the agent tells within its answer is logged by the agent’s own word, which no visitor reads', async () => {
  await start();
  agent.nextChat((answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('error', { error: { code: 'provider_error', message: 'The provider answered 401.' } });
    answer.end();
  });
  const told = await askOne();
  expect(told).toContain('turn-failed');
  expect(told).not.toContain('provider_error');
  const expected = { code: 'agent-unavailable', agentCode: 'provider_error' };
  await vi.waitFor(() => expect(log.warn.mock.calls.at(-1)).toMatchObject([expected, 'a turn failed']));
});

test.each([
  [
    'throws',
    () => {
      throw new Error('the disk is full');
    },
  ],
  // Unhandled, it would end the process, and a run of these tests.
  ['is async and rejects', () => Promise.reject(new Error('the disk is full'))],
])('a logger that %s stops no question: its lines are said on the console', async (_, refuse) => {
  const said = vi.spyOn(console, 'warn').mockImplementation(() => {});
  await start({ log: { info: refuse, warn: refuse, error: refuse }, workspace: () => '' });
  expect(await askOne()).toContain('turn-failed');
  expect(said).toHaveBeenCalledWith('porchlight: a turn failed', expect.anything());
  said.mockRestore();
  await helper.stop();
  await start({ log: { info: refuse, warn: refuse, error: refuse } });
  expect(await askOne()).toContain('turn-completed');
});

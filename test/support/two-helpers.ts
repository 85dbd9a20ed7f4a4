/** Two helper processes on one store, before one fake agent, for a test file: a SQLite file, or Redis where `TEST_STORE` says so. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openStore } from '../../server-helper/environment.ts';
import type { Store } from '../../server-helper/store/store.ts';
import { type FakeAgent, startFakeAgent } from './fake-agent.ts';
import { createGate } from './gate.ts';
import { type RunningHelper, startHelper } from './helper-process.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { makeQuestion, Visitor } from './visitor.ts';

/** All are there from the file's first test on. */
export type TwoHelpers = {
  readonly agent: FakeAgent;
  readonly one: RunningHelper;
  readonly two: RunningHelper;
  /** The store that they share, opened once more. */
  openStore(): Store;
  /** One more on the same store. */
  startThird(): Promise<RunningHelper>;
};

export function setUpTwoHelpers(): TwoHelpers {
  let agent: FakeAgent;
  let folder: string;
  let helpers: RunningHelper[];
  let redis: TestRedis | undefined;
  const toName = () => redis?.url ?? `sqlite:${join(folder, 'store.db')}`;
  const start = () =>
    startHelper({
      agentUrl: agent.url,
      env: { PORCHLIGHT_STORE: toName() },
    });
  beforeAll(async () => {
    agent = await startFakeAgent();
    folder = await mkdtemp(join(tmpdir(), 'porchlight-'));
    if (process.env.TEST_STORE === 'redis') redis = await startRedis();
    helpers = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    await agent.close();
    for (const helper of helpers) await helper.close();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get agent() {
      return agent;
    },
    get one() {
      return helpers[0] as RunningHelper;
    },
    get two() {
      return helpers[1] as RunningHelper;
    },
    openStore: () => openStore(toName()),
    startThird: start,
  };
}

/** The same visitor at another helper. */
export function at(helper: RunningHelper, { session, reply }: Visitor): Visitor {
  return new Visitor(helper, session, reply);
}

/** A turn that the first helper runs, and whose agent also tells it to those who subscribe. */
export async function askSlowly(
  here: { readonly agent: FakeAgent },
  visitor: Visitor,
  first = 'One ',
  rest = 'two.',
) {
  const [conversationId, turnId, question] = [randomUUID(), randomUUID(), makeQuestion()];
  const gate = createGate();
  let chatId = '';
  here.agent.nextChat(async (answer) => {
    chatId = answer.chatId;
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: first });
    here.agent.streaming.set(chatId, async (again) => {
      again.open();
      again.event('delta', { text: first });
      await gate.opened;
      again.event('delta', { text: rest });
      again.end();
    });
    await Promise.race([gate.opened, answer.cancelled, answer.closed]);
    here.agent.streaming.delete(chatId);
    answer.event('delta', { text: rest });
    const message = answer.recordReply(first + rest);
    answer.event('done', { chat: { reply: first + rest, agent: message, sources: [] } });
    answer.end();
  });
  const stream = await visitor.ask(conversationId, turnId, question);
  await stream.untilText(first);
  return { conversationId, turnId, question, stream, gate, chatId: () => chatId };
}

/** A Redis that stands still, is restarted, refuses or is full: each call says so in its time, and none after it suffers. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { toCauseCode } from '../../server-helper/errors.ts';
import { createRedisStore } from '../../server-helper/store/redis/redis.ts';
import { type Store, StoreBusy, type TurnRecord } from '../../server-helper/store/store.ts';
import { startFakeAgent } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { spawnHelper, startHelper } from '../support/helper-process.ts';
import { bot, toConversation, toTurn } from '../support/records.ts';
import { startRedis } from '../support/redis.ts';
import { at } from '../support/two-helpers.ts';
import { createVisitor, makeQuestion } from '../support/visitor.ts';

const redis = await startRedis('--appendonly', 'yes', '--appendfsync', 'always');
afterAll(() => redis.stop());
let store: Store;
beforeEach(() => {
  store = createRedisStore(redis.url);
  return () => store.close();
});

test('one that stands still fails each call in its time, and goes on', async () => {
  const conversation = toConversation();
  await store.beginTurn(conversation, toTurn(conversation.id));
  redis.child.kill('SIGSTOP');
  const began = performance.now();
  const calls = [store.check(), store.findConversation(conversation.id), store.remember('a', 'b')];
  for (const call of await Promise.allSettled(calls))
    expect(call.status === 'rejected' && call.reason).toBeInstanceOf(StoreBusy);
  expect(performance.now() - began).toBeLessThan(10_000);
  redis.child.kill('SIGCONT');
  expect(await store.findConversation(conversation.id)).toEqual(conversation);
});

test('one that is not there yet is found once it is', async () => {
  await redis.kill();
  const early = createRedisStore(redis.url);
  await expect(early.check()).rejects.toBeInstanceOf(StoreBusy);
  await redis.restart();
  await early.check();
  await early.close();
  const never = createRedisStore('redis://127.0.0.1:1');
  void never.check().catch(() => {});
  await never.close();
});

test('one that is restarted has what it kept, and learns the script anew', async () => {
  const conversation = toConversation();
  await store.beginTurn(conversation, toTurn(conversation.id));
  await redis.restart();
  expect(await store.findConversation(conversation.id)).toEqual(conversation);
  await redis.say('SCRIPT FLUSH');
  expect((await store.findLiveTurn(conversation.id))?.status).toBe('running');
});

test('one that takes no writes is told by its own code, and read from', async () => {
  const key = randomUUID();
  await store.remember(key, 'kept');
  await redis.say('REPLICAOF 127.0.0.1 1');
  const refused = await store.check().catch((error: unknown) => error);
  expect(toCauseCode(refused)).toBe('redis-readonly');
  // A connection is made anew, by which the one that is primary now may be found.
  expect(await store.recall(key)).toBe('kept');
  await redis.say('REPLICAOF NO ONE');
  await store.check();
});

test('one that is full refuses what is new, and takes it once there is room', async () => {
  await redis.say('CONFIG SET maxmemory 1');
  const conversation = toConversation();
  const begun = await store.beginTurn(conversation, toTurn(conversation.id)).catch((error: unknown) => error);
  expect(toCauseCode(begun)).toBe('redis-oom');
  await redis.say('CONFIG SET maxmemory 0');
  expect(await store.findConversation(conversation.id)).toBeUndefined();
  expect(await store.beginTurn(conversation, toTurn(conversation.id))).toMatchObject({ kind: 'began' });
});

test('of what was deleted and erased no word stays, nor whose it was, and all keys begin with the prefix', async () => {
  const [other, word] = [createRedisStore(`${redis.url}/0?prefix=shop.two`), `canary-${randomUUID()}`];
  const owner = `anonymous:${randomUUID()}`;
  const [deleted, erased] = [toConversation({ owner, title: word }), toConversation({ owner, title: word })];
  for (const conversation of [deleted, erased])
    await other.beginTurn(conversation, toTurn(conversation.id, { question: word }));
  const [{ id }] = (await other.listTurns(deleted.id, { limit: 1 })) as [TurnRecord];
  const telling = { conversationId: deleted.id, id, from: 0, next: 1, events: word };
  for (const teller of ['first', 'second']) {
    await other.setTeller(deleted.id, id, teller);
    expect(await other.logs?.tell('helper-1', [{ ...telling, teller }])).toEqual([1]);
  }
  await other.deleteConversation(deleted.id);
  await other.eraseOwner(owner, bot);
  await other.close();
  const keys = (await redis.say('KEYS *')).split('\r\n').filter((line) => /^[^*$]/.test(line));
  const own = keys.filter((key) => key.startsWith('{shop.two}:'));
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter((key) => key.includes(owner) || key.includes(':log:'))).toEqual([]);
  expect(keys.filter((key) => !key.startsWith('{shop.two}:') && !key.startsWith('{porchlight}:'))).toEqual(
    [],
  );
  const kept = await Promise.all(own.map((key) => redis.say(`DUMP ${key}`)));
  expect(kept.join('\n')).not.toContain(word);
});

test('a user of its own needs what the guide says, and no more', async () => {
  const guide = readFileSync('docs/deployment.md', 'utf8');
  const [, keys, rights] = /A user of its own needs `(\S+)` and `([^`]+)`/.exec(guide) ?? [];
  await redis.say(`ACL SETUSER shop on >word ${keys} ${rights}`);
  const own = createRedisStore(redis.url.replace('//', '//shop:word@'));
  const conversation = toConversation();
  expect(await own.beginTurn(conversation, toTurn(conversation.id))).toMatchObject({ kind: 'began' });
  await own.close();
  const wrong = createRedisStore(redis.url.replace('//', '//shop:other-word@'));
  const refused = await wrong.check().catch((error: unknown) => error);
  expect(toCauseCode(refused)).toBe('redis-wrongpass');
  expect(String(refused)).not.toContain('other-word');
  await wrong.close();
});

test.each([
  ['http://redis.example', {}, 'store must be a URL that begins with redis:// or rediss://'],
  ['redis://127.0.0.1:1?prefix={a}', {}, 'prefix must be letters, digits, dots, - and _, at most 100'],
])('%s with %o is refused at the start', (url, options, words) => {
  expect(() => createRedisStore(url, options)).toThrow(words);
});

test('the secret that a helper has made for its sessions is found for the next one, and no password is told', async () => {
  const url = redis.url.replace('//', '//nobody:pass-word@');
  const prefix = createRedisStore(`${redis.url}?prefix=keys`);
  await prefix.remember('session-secret', 'kept-'.repeat(8));
  await prefix.close();
  const run = async (name: string, command: string[]) => {
    const started = spawnHelper({
      agentUrl: 'http://127.0.0.1:1',
      env: { PORCHLIGHT_STORE: name, PORCHLIGHT_SESSION_SECRET: '' },
      command,
    });
    const { code } = await started.exited;
    return [code, started.output];
  };
  const [code, output] = await run(`${redis.url}?prefix=keys`, ['keys', '--rotate', 'SESSION_SECRET']);
  expect([code, output]).toEqual([0, expect.stringContaining('kept-'.repeat(8))]);
  const wrong = await run(url, ['check']);
  expect(wrong).toEqual([1, expect.stringMatching(/WRONG store: cannot be written \(redis-wrongpass\)/)]);
  expect(wrong[1]).not.toContain('pass-word');
}, 40_000);

test('an answer goes on while Redis is restarted, and each helper has its end', async () => {
  const agent = await startFakeAgent();
  const env = { PORCHLIGHT_STORE: redis.url };
  const [one, two] = [
    await startHelper({ agentUrl: agent.url, env }),
    await startHelper({ agentUrl: agent.url, env }),
  ];
  const visitor = await createVisitor(one);
  const [conversationId, turnId, gate] = [randomUUID(), randomUUID(), createGate()];
  agent.nextChat(async (answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: 'One ' });
    await gate.opened;
    answer.event('delta', { text: 'two.' });
    const message = answer.recordReply('One two.');
    answer.event('done', { chat: { reply: 'One two.', agent: message, sources: [] } });
    answer.end();
  });
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  await stream.untilText('One ');
  await redis.restart();
  gate.open();
  await stream.whole();
  expect(stream.ended('turn-completed').message.text).toBe('One two.');
  for (const helper of [one, two]) {
    const { messages, liveTurn } = await at(helper, visitor).history(conversationId);
    expect([messages.at(-1)?.text, liveTurn]).toEqual(['One two.', undefined]);
  }
  const ready = await two.fetch('/readyz');
  expect(ready.status).toBe(200);
  for (const helper of [one, two]) await helper.close();
  await agent.close();
});

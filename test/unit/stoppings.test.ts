/** What helpers on one store tell each other of answers that are being stopped. */
import { expect, test } from 'vitest';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import type { Store } from '../../server-helper/store/store.ts';
import { createStoppings } from '../../server-helper/turns/stoppings.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const create = (store: Store, name: string) => createStoppings(store, silent, name);

/** Whether it has settled by the next look. */
async function isQuiet(stoppings: ReturnType<typeof create>, chatId = 'chat'): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), 50));
  return Promise.race([stoppings.quietElsewhere(chatId).then(() => true as const), late]);
}

test('a chat is quiet for the others once the helper that stops its answer says so, and always for itself', async () => {
  const store = createMemoryStore();
  const [one, two] = [create(store, 'one'), create(store, 'two')];
  await one.note('chat');
  expect([await isQuiet(one), await isQuiet(two), await isQuiet(two, 'another')]).toEqual([
    true,
    false,
    true,
  ]);
  await one.forget('chat');
  expect(await isQuiet(two)).toBe(true);
  await store.close();
});

test.each([
  ['first', 'one'],
  ['last', 'two'],
])('of two helpers that stop answers of one chat the one that came %s may be done first', async (_, done) => {
  const store = createMemoryStore();
  const helpers = { one: create(store, 'one'), two: create(store, 'two'), three: create(store, 'three') };
  await helpers.one.note('chat');
  await helpers.two.note('chat');
  await helpers[done as 'one'].forget('chat');
  expect(await isQuiet(helpers.three)).toBe(false);
  expect(await isQuiet(helpers[done as 'one'])).toBe(false);
  await helpers[done === 'one' ? 'two' : 'one'].forget('chat');
  expect(await isQuiet(helpers.three)).toBe(true);
  await store.close();
});

test('what is noted again while it is being forgotten stays noted', async () => {
  const store = createMemoryStore();
  const [one, two] = [create(store, 'one'), create(store, 'two')];
  await one.note('chat');
  await Promise.all([one.forget('chat'), one.note('chat')]);
  expect(await isQuiet(two)).toBe(false);
  await one.forget('chat');
  expect(await isQuiet(two)).toBe(true);
  await store.close();
});

test('a helper that is gone is waited for as long as its note lives, and a store that fails for nothing', async () => {
  let now = 0;
  const store = createMemoryStore(() => now);
  const [one, two] = [create(store, 'one'), create(store, 'two')];
  await one.note('chat');
  now += 6_001;
  expect(await isQuiet(two)).toBe(true);
  await one.forget('chat');
  const broken = {
    ...store,
    recall: () => Promise.reject(new Error('away')),
    remember: () => Promise.reject(new Error('away')),
  };
  const three = create(broken, 'three');
  await three.note('chat');
  expect(await isQuiet(three)).toBe(true);
  await three.forget('chat');
  await store.close();
});

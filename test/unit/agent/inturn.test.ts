/** Who waits for whom where not all can be done at once. */
import { expect, test } from 'vitest';
import { createInTurn } from '../../../demo/agent/inturn.ts';

const never = new AbortController().signal;

/** Work that goes on until it is let go. */
function createWork() {
  const begun: string[] = [];
  const open = new Map<string, () => void>();
  return {
    begun,
    make: (name: string) => () =>
      new Promise<string>((resolve) => {
        begun.push(name);
        open.set(name, () => resolve(name));
      }),
    async end(name: string) {
      open.get(name)!();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('of one there is one at a time, and another has its turn before the rest of it', async () => {
  const inTurn = createInTurn(2);
  const { begun, make, end } = createWork();
  const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => inTurn(name[0]!, make(name), never));
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['a1', 'b1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'b1', 'a2']);
  await end('b1');
  expect(begun.at(-1)).toBe('c1');
  await end('a2');
  await end('c1');
  expect(begun.toSorted()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
  await end('a3');
  await end('b2');
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
});

test('what fails gives its place away', async () => {
  const inTurn = createInTurn(1);
  await expect(inTurn('a', () => Promise.reject(new Error('no')), never)).rejects.toThrow('no');
  expect(await inTurn('a', async () => 'yes', never)).toBe('yes');
});

test('who gives up before the turn comes has no place any more, and begins nothing', async () => {
  const inTurn = createInTurn(1);
  const { begun, make, end } = createWork();
  const stop = new AbortController();
  const all = [inTurn('a', make('a1'), never), inTurn('b', make('b1'), never)];
  const given = ['a2', 'c1'].map((name) => inTurn(name[0]!, make(name), stop.signal));
  const late = inTurn('c', make('c2'), never);
  stop.abort(new Error('stopped'));
  for (const one of given) await expect(one).rejects.toThrow('stopped');
  await expect(inTurn('a', make('a3'), stop.signal)).rejects.toThrow('stopped');
  await end('a1');
  await end('b1');
  await end('c2');
  expect([begun, await late, ...(await Promise.all(all))]).toEqual([['a1', 'b1', 'c2'], 'c2', 'a1', 'b1']);
});

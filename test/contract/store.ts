/** What any store must do, as a suite over a maker; time is the test's own. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../server-helper/store/store.ts';
import { bot, start, toConversation, toTurn } from '../support/records.ts';
import { conversationContract } from './store-conversations.ts';
import { createRecords } from './store-records.ts';
import { turnContract } from './store-turns.ts';

export type StoreMaker = (now: () => number) => Store | Promise<Store>;

export function storeContract(name: string, make: StoreMaker): void {
  describe(name, () => {
    const clock = { now: start };
    let store: Store;
    beforeAll(async () => {
      store = await make(() => clock.now);
    });
    afterAll(() => store.close());
    const { claim } = createRecords(() => store);

    conversationContract(() => store);
    turnContract(() => store);

    describe('counts', () => {
      test('add up by bot, hour and name, and what is too old goes', async () => {
        const own = randomUUID();
        const read = async (from = 0) =>
          (await store.readTallies(own, from)).toSorted(
            (a, b) => a.hour - b.hour || (a.name < b.name ? -1 : 1),
          );
        await store.addTallies(
          own,
          [
            { hour: 7, name: 'a', count: 2 },
            { hour: 8, name: 'a', count: 1 },
          ],
          0,
        );
        await store.addTallies(
          own,
          [
            { hour: 8, name: 'b', count: 5 },
            { hour: 8, name: 'a', count: -3 },
          ],
          0,
        );
        await store.addTallies(randomUUID(), [{ hour: 8, name: 'a', count: 9 }], 9);
        expect(await read()).toEqual([
          { hour: 7, name: 'a', count: 2 },
          { hour: 8, name: 'a', count: -2 },
          { hour: 8, name: 'b', count: 5 },
        ]);
        expect(await read(9)).toEqual([]);
        await store.addTallies(own, [], 8);
        expect((await read()).map(({ hour }) => hour)).toEqual([8, 8]);
      });
    });

    describe('owners', () => {
      test('a merge moves everything, once in the life of the first owner', async () => {
        const [anonymous, ada, bob] = [randomUUID(), randomUUID(), randomUUID()];
        const first = await claim({ owner: anonymous });
        const hers = await claim({ owner: ada, updatedAt: start - 1 });
        const merges = await Promise.all([ada, ada, ada].map((to) => store.mergeOwner(anonymous, to)));
        expect(merges.sort()).toEqual([false, false, true]);
        const ids = async (owner: string) =>
          (await store.listConversations(owner, bot, { limit: 10 })).map(({ id }) => id);
        expect(await ids(ada)).toEqual([first.id, hers.id]);
        expect(await ids(anonymous)).toEqual([]);
        expect((await store.findConversation(first.id))?.owner).toBe(ada);

        const late = toConversation({ owner: anonymous });
        expect(await store.beginTurn(late, toTurn(late.id))).toEqual({ kind: 'gone' });
        expect(await store.mergeOwner(anonymous, bob)).toBe(false);
        expect(await ids(bob)).toEqual([]);
        expect(await ids(anonymous)).toEqual([]);
      });

      test('a merge of an owner without conversations counts too', async () => {
        const anonymous = randomUUID();
        expect(await store.mergeOwner(anonymous, 'email:ada')).toBe(true);
        expect(await store.mergeOwner(anonymous, 'email:bob')).toBe(false);
      });
    });

    test('whether a guest was merged is known', async () => {
      const guest = randomUUID();
      expect(await store.isMerged(guest)).toBe(false);
      await store.mergeOwner(guest, 'email:ada');
      expect(await store.isMerged(guest)).toBe(true);
      await store.check();
    });

    test('a purge removes what has outlived its time, a little at a time, and nothing else', async () => {
      const old = clock.now;
      const guest = `anonymous:${randomUUID()}`;
      const [outlived, young] = [
        await claim({ owner: guest, updatedAt: old }),
        await claim({ owner: guest, updatedAt: old + 2 }),
      ];
      const known = await claim({ owner: 'email:ada', updatedAt: old });
      const another = await claim({ owner: `anonymous:${randomUUID()}`, bot: 'bot-2', updatedAt: old });
      await store.pinWorkspace(outlived.id, 'w-outlived', 'conversation');
      await store.mergeOwner(randomUUID(), 'email:ada');
      const brief = randomUUID();
      await store.remember(brief, 'a', 1);
      const never = { guests: 0, tombstones: 0, merged: 0, facts: 0 };
      const all = async (before: Parameters<Store['purge']>[1]) => {
        let gone = 0;
        for (;;) {
          const batch = await store.purge(bot, before, 2);
          expect(batch).toBeLessThanOrEqual(2);
          gone += batch;
          if (batch < 2) return gone;
        }
      };
      expect(await all(never)).toBe(0);
      await all({ ...never, guests: old + 1 });
      expect(await store.findConversation(outlived.id)).toBeUndefined();
      expect(await store.findConversation(young.id)).toEqual(young);
      expect(await store.findConversation(known.id)).toEqual(known);
      expect(await store.findConversation(another.id)).toEqual(another);
      const left = (await store.listLeftovers(bot, 1000)).map(({ id }) => id);
      expect(left).toEqual(expect.arrayContaining([outlived.chatId, 'w-outlived']));
      clock.now += 10;
      expect(
        await all({ ...never, tombstones: clock.now, merged: clock.now, facts: clock.now }),
      ).toBeGreaterThan(2);
      expect(await all({ ...never, tombstones: clock.now, merged: clock.now, facts: clock.now })).toBe(0);
      expect(await store.recall(brief)).toBeUndefined();
    });

    describe('facts', () => {
      test('the first value wins, be there many at one moment, and is given to all', async () => {
        const key = randomUUID();
        expect(await store.recall(key)).toBeUndefined();
        const given = await Promise.all(['a', 'b', 'c'].map((value) => store.remember(key, value)));
        expect(new Set(given).size).toBe(1);
        expect(await store.recall(key)).toBe(given[0]);
        expect(await store.remember(key, 'd')).toBe(given[0]);
      });

      test('a fact with a time to live is gone after it, and the next value then stands', async () => {
        const [brief, lasting] = [randomUUID(), randomUUID()];
        await store.remember(brief, 'first', 1000);
        await store.remember(lasting, 'first');
        clock.now += 999;
        expect(await store.recall(brief)).toBe('first');
        expect(await store.remember(brief, 'second', 1000)).toBe('first');
        clock.now += 1;
        expect(await store.recall(brief)).toBeUndefined();
        expect(await store.remember(brief, 'third', 1000)).toBe('third');
        expect(await store.recall(brief)).toBe('third');
        clock.now += 365 * 24 * 3600_000;
        expect(await store.recall(lasting)).toBe('first');
      });

      test('a replaced fact is the new one, whatever stood there, for its own time', async () => {
        const key = randomUUID();
        await store.remember(key, 'first');
        await store.replace(key, 'second', 1000);
        expect(await store.recall(key)).toBe('second');
        clock.now += 1000;
        expect(await store.recall(key)).toBeUndefined();
      });

      test('a forgotten fact is gone, and may be remembered anew', async () => {
        const key = randomUUID();
        await store.remember(key, 'first');
        await store.forget(key);
        await store.forget(key);
        expect(await store.recall(key)).toBeUndefined();
        expect(await store.remember(key, 'second')).toBe('second');
      });

      test('a fact is forgotten only where it is the one that is meant', async () => {
        const key = randomUUID();
        await store.remember(key, 'second');
        await store.forget(key, 'first');
        expect(await store.recall(key)).toBe('second');
        await store.forget(key, 'second');
        expect(await store.recall(key)).toBeUndefined();
      });

      test('a text comes back as it was, whatever characters it holds', async () => {
        const texts = ['a\0b', '\0', 'half \ud83d of it', '\ue0000000', 'zoë 🙂\u2028', ''];
        for (const text of texts) {
          const key = randomUUID();
          await store.remember(key, text);
          expect(await store.recall(key)).toBe(text);
        }
      });

      test('keys and values are taken as they are', async () => {
        for (const key of ['__proto__', "a'b; DROP TABLE facts; --", '%_', 'zoë 🙂', '']) {
          expect(await store.remember(`${key}-k`, `${key}-v`)).toBe(`${key}-v`);
          expect(await store.recall(`${key}-k`)).toBe(`${key}-v`);
        }
      });
    });
  });
}

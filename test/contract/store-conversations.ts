/** The store contract: who owns what, and what was deleted. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ConversationRecord, Store } from '../../server-helper/store/store.ts';
import { createRecords, start, toConversation, toTurn } from './store-records.ts';

export function conversationContract(getStore: () => Store): void {
  const { claim, begin } = createRecords(getStore);

  describe('conversations', () => {
    test('a claim makes the conversation, and gives the owner’s own as it was first made', async () => {
      const first = await claim();
      const again = await getStore().claimConversation({
        ...first,
        chatId: 'other',
        title: 'Other',
        updatedAt: 1,
      });
      expect(again).toEqual(first);
      expect(await getStore().findConversation(first.id)).toEqual(first);
    });

    test('a claim of what is somebody else’s gives nothing and changes nothing', async () => {
      const first = await claim();
      expect(await getStore().claimConversation({ ...first, owner: 'email:eve@shop.test' })).toBeUndefined();
      expect(await getStore().findConversation(first.id)).toEqual(first);
    });

    test('of many claims of one id at one moment one owner has it', async () => {
      const id = randomUUID();
      const claims = Array.from({ length: 20 }, () => toConversation({ id }));
      const given = await Promise.all(claims.map((record) => getStore().claimConversation(record)));
      const won = given.filter((record) => record !== undefined);
      expect(won).toHaveLength(1);
      expect(await getStore().findConversation(id)).toEqual(won[0]);
    });

    test('what was given is a copy: to change it changes no record', async () => {
      const first = await claim();
      const found = await getStore().findConversation(first.id);
      if (found) found.owner = 'email:eve@shop.test';
      expect((await getStore().findConversation(first.id))?.owner).toBe(first.owner);
    });

    test('an update changes the fields that it names, and no others', async () => {
      const first = await claim();
      const change = { title: 'Coffee', mode: 'plan', workspace: 'w-1', updatedAt: start + 5 } as const;
      await getStore().updateConversation(first.id, change);
      expect(await getStore().findConversation(first.id)).toEqual({ ...first, ...change });
      await getStore().updateConversation(first.id, { title: 'Milk' });
      expect(await getStore().findConversation(first.id)).toEqual({ ...first, ...change, title: 'Milk' });
      await getStore().updateConversation(first.id, {});
      await getStore().updateConversation(randomUUID(), { title: 'Nobody’s' });
    });

    test('the list is the owner’s own, newest first, ties by id, and pages without gap or repeat', async () => {
      const owner = `email:${randomUUID()}`;
      const made: ConversationRecord[] = [];
      for (let count = 0; count < 12; count += 1)
        made.push(await claim({ owner, updatedAt: start + Math.floor(count / 4) }));
      await claim();
      const expected = [...made].sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));
      expect(await getStore().listConversations(owner, { limit: 100 })).toEqual(expected);
      for (const limit of [1, 3, 5, 12]) {
        const seen: ConversationRecord[] = [];
        for (;;) {
          const last = seen.at(-1);
          const before = last && { updatedAt: last.updatedAt, id: last.id };
          const page = await getStore().listConversations(owner, { limit, before });
          seen.push(...page);
          if (page.length < limit) break;
        }
        expect(seen).toEqual(expected);
      }
    });

    test('a deleted one is a tombstone: not found, not listed, never claimed again by anybody', async () => {
      const first = await claim();
      const turn = await begin(first.id);
      await getStore().deleteConversation(first.id);
      await getStore().deleteConversation(first.id);
      expect(await getStore().findConversation(first.id)).toBeUndefined();
      expect(await getStore().listConversations(first.owner, { limit: 10 })).toEqual([]);
      expect(await getStore().claimConversation(first)).toBeUndefined();
      expect(await getStore().claimConversation({ ...first, owner: 'email:eve@shop.test' })).toBeUndefined();
      expect(await getStore().findTurn(first.id, turn.id)).toBeUndefined();
      expect(await getStore().listTurns(first.id)).toEqual([]);
      expect(await getStore().findLiveTurn(first.id)).toBeUndefined();
      expect(await getStore().beginTurn(toTurn(first.id))).toEqual({ kind: 'gone' });
      await getStore().updateConversation(first.id, { title: 'Back' });
      await getStore().updateTurn(first.id, turn.id, { status: 'completed', answer: 'Back' });
      expect(await getStore().findConversation(first.id)).toBeUndefined();
      expect(await getStore().findTurn(first.id, turn.id)).toBeUndefined();
    });

    test('a deleted one’s chat is listed until the agent has deleted it', async () => {
      const [first, second] = [await claim(), await claim()];
      await getStore().chatDeleted(second.id);
      const mine = async () =>
        (await getStore().listUndeletedChats(1000)).filter(({ id }) => id === first.id || id === second.id);
      expect(await mine()).toEqual([]);
      await getStore().deleteConversation(first.id);
      await getStore().deleteConversation(second.id);
      expect(await mine()).toHaveLength(2);
      expect(await getStore().listUndeletedChats(1)).toHaveLength(1);
      await getStore().chatDeleted(second.id);
      expect(await mine()).toEqual([{ id: first.id, chatId: first.chatId }]);
    });
  });
}

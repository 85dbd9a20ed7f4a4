/** The store contract: who owns what, and what was deleted. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ConversationRecord, Store } from '../../server-helper/store/store.ts';
import { bot, start, toConversation, toTurn } from '../support/records.ts';
import { createRecords, running } from './store-records.ts';

export function conversationContract(getStore: () => Store): void {
  const { claim, begin, beginEnded } = createRecords(getStore);
  const leftoversOf = async (ids: readonly (string | undefined)[]) =>
    (await getStore().listLeftovers(bot, 1000)).filter(({ id }) => ids.includes(id));

  describe('conversations', () => {
    test('the first turn makes the conversation; a later one finds it as it was first made', async () => {
      const first = toConversation();
      await beginEnded(first);
      const again = { ...first, chatId: 'other', title: 'Other', updatedAt: start + 9 };
      const begun = await getStore().beginTurn(again, toTurn(first.id));
      expect(begun).toMatchObject({ kind: 'began', conversation: { ...first, updatedAt: start + 9 } });
      expect(await getStore().findConversation(first.id)).toEqual({ ...first, updatedAt: start + 9 });
    });

    test('a turn in what is somebody else’s, or another agent’s, is gone and changes nothing', async () => {
      const first = await claim();
      for (const change of [{ owner: 'email:eve@shop.test' }, { bot: 'bot-2' }])
        expect(await getStore().beginTurn({ ...first, ...change }, toTurn(first.id))).toEqual({
          kind: 'gone',
        });
      expect(await getStore().findConversation(first.id)).toEqual(first);
      expect(await getStore().listTurns(first.id)).toEqual([]);
    });

    test('of many who begin in one conversation at one moment one owner has it', async () => {
      const id = randomUUID();
      const claims = Array.from({ length: 20 }, () => toConversation({ id }));
      const given = await Promise.all(claims.map((one) => getStore().beginTurn(one, toTurn(id))));
      const won = given.flatMap((one) => (one.kind === 'began' ? [one.conversation] : []));
      expect(won).toHaveLength(1);
      expect(given.filter(({ kind }) => kind === 'gone')).toHaveLength(19);
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
      await getStore().updateConversation(first.id, { title: 'Coffee', mode: 'plan' });
      expect(await getStore().findConversation(first.id)).toEqual({
        ...first,
        title: 'Coffee',
        mode: 'plan',
      });
      await getStore().updateConversation(first.id, { title: 'Milk' });
      expect(await getStore().findConversation(first.id)).toEqual({ ...first, title: 'Milk', mode: 'plan' });
      await getStore().updateConversation(first.id, {});
      await getStore().updateConversation(randomUUID(), { title: 'Nobody’s' });
    });

    test('the first pin wins, and is given to all', async () => {
      const first = await claim();
      const pins = ['w-1', 'w-2', 'w-3'].map((workspace) =>
        getStore().pinWorkspace(first.id, workspace, 'conversation'),
      );
      expect(new Set(await Promise.all(pins)).size).toBe(1);
      expect(await getStore().findConversation(first.id)).toMatchObject({
        workspace: await pins[0],
        workspaceOf: 'conversation',
      });
      expect(await getStore().pinWorkspace(randomUUID(), 'w-1', undefined)).toBeUndefined();
      const stood = await pins[0];
      expect(await getStore().pinWorkspace(first.id, 'w-4', 'visitor', 'w-none')).toBe(stood);
      expect(await getStore().pinWorkspace(first.id, 'w-4', 'visitor', stood)).toBe('w-4');
      expect(await getStore().findConversation(first.id)).toMatchObject({
        workspace: 'w-4',
        workspaceOf: 'visitor',
      });
    });

    test('the list is the owner’s own with one agent, newest first, ties by id, and pages without gap or repeat', async () => {
      const owner = `email:${randomUUID()}`;
      const made: ConversationRecord[] = [];
      for (let count = 0; count < 12; count += 1)
        made.push(await claim({ owner, updatedAt: start + Math.floor(count / 4) }));
      await claim();
      const elsewhere = await claim({ owner, bot: 'bot-2' });
      const expected = [...made].sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));
      expect(await getStore().listConversations(owner, bot, { limit: 100 })).toEqual(expected);
      expect(await getStore().listConversations(owner, 'bot-2', { limit: 100 })).toEqual([elsewhere]);
      for (const limit of [1, 3, 5, 12]) {
        const seen: ConversationRecord[] = [];
        for (;;) {
          const last = seen.at(-1);
          const before = last && { updatedAt: last.updatedAt, id: last.id };
          const page = await getStore().listConversations(owner, bot, { limit, before });
          seen.push(...page);
          if (page.length < limit) break;
        }
        expect(seen).toEqual(expected);
      }
    });

    test('a deleted one is a tombstone: not found, not listed, never begun again by anybody', async () => {
      const first = toConversation();
      const turn = await begin(first);
      expect(await getStore().deleteConversation(first.id)).toEqual({
        conversation: first,
        wasRunning: true,
      });
      expect(await getStore().deleteConversation(first.id)).toBeUndefined();
      expect(await getStore().findConversation(first.id)).toBeUndefined();
      expect(await getStore().listConversations(first.owner, bot, { limit: 10 })).toEqual([]);
      for (const owner of [first.owner, 'email:eve@shop.test', ''])
        expect(await getStore().beginTurn({ ...first, owner }, toTurn(first.id))).toEqual({ kind: 'gone' });
      expect(await getStore().findTurn(first.id, turn.id)).toBeUndefined();
      expect(await getStore().listTurns(first.id)).toEqual([]);
      expect(await getStore().findLiveTurn(first.id)).toBeUndefined();
      await getStore().updateConversation(first.id, { title: 'Back' });
      const ended = await getStore().endTurn(
        first.id,
        turn.id,
        { status: 'completed', answer: 'Back' },
        running,
      );
      expect(ended).toBe(false);
      expect(await getStore().findConversation(first.id)).toBeUndefined();
      expect(await getStore().findTurn(first.id, turn.id)).toBeUndefined();
    });

    test('a deleted one’s chat and the workspace made for it are left over until the agent has deleted them', async () => {
      const first = await claim();
      await getStore().pinWorkspace(first.id, 'w-own', 'conversation');
      const second = await claim();
      await getStore().pinWorkspace(second.id, 'w-fixed', undefined);
      await getStore().deleteConversation(first.id);
      await getStore().deleteConversation(second.id);
      const left = await leftoversOf([first.chatId, second.chatId, 'w-own', 'w-fixed']);
      expect(left.map(({ kind, id }) => `${kind} ${id}`).sort()).toEqual(
        [`chat ${first.chatId}`, `chat ${second.chatId}`, 'workspace w-own'].sort(),
      );
      for (const one of left) await getStore().leftoverDone(one);
      expect(await leftoversOf([first.chatId, second.chatId, 'w-own'])).toEqual([]);
    });

    test('what was tried in vain comes back when it is due, behind what has waited longer', async () => {
      const leftovers = [
        { kind: 'chat', id: `chat-${randomUUID()}`, bot },
        { kind: 'chat', id: `chat-${randomUUID()}`, bot },
      ] as const;
      const ids = leftovers.map(({ id }) => id);
      await getStore().putLeftovers(leftovers);
      await getStore().putLeftovers(leftovers);
      await getStore().leftoverTried(leftovers[0], start);
      expect(await leftoversOf(ids)).toEqual([
        { ...leftovers[1], tries: 0 },
        { ...leftovers[0], tries: 1 },
      ]);
      expect(await getStore().listLeftovers('bot-2', 1000)).toEqual([]);
      await getStore().leftoverTried(leftovers[0], start + 100 * 365 * 24 * 3600_000);
      expect(await leftoversOf(ids)).toEqual([{ ...leftovers[1], tries: 0 }]);
      await getStore().leftoverDone(leftovers[1]);
    });

    test('a visitor’s workspace goes with the last conversation that is pinned to it, and is forgotten', async () => {
      const owner = `email:${randomUUID()}`;
      const [first, second] = [await claim({ owner }), await claim({ owner })];
      await getStore().remember(`workspace:${bot}:${owner}`, 'w-visitor');
      for (const { id } of [first, second]) await getStore().pinWorkspace(id, 'w-visitor', 'visitor');
      await getStore().deleteConversation(first.id);
      expect(await leftoversOf(['w-visitor'])).toEqual([]);
      await getStore().deleteConversation(second.id);
      expect(await leftoversOf(['w-visitor'])).toHaveLength(1);
      expect(await getStore().recall(`workspace:${bot}:${owner}`)).toBeUndefined();
    });

    test('to erase an owner deletes all conversations with this agent, and the facts about the owner', async () => {
      const owner = `email:${randomUUID()}`;
      const mine = [await claim({ owner }), await claim({ owner })];
      const other = await claim({ owner, bot: 'bot-2' });
      await begin(mine[0] as ConversationRecord);
      await getStore().remember(`member:${bot}:${owner}`, 'm-1');
      const erased = await getStore().eraseOwner(owner, bot);
      expect(erased.map(({ conversation }) => conversation.id).sort()).toEqual(
        mine.map(({ id }) => id).sort(),
      );
      expect(erased.filter(({ wasRunning }) => wasRunning)).toHaveLength(1);
      expect(await getStore().listConversations(owner, bot, { limit: 10 })).toEqual([]);
      expect(await getStore().recall(`member:${bot}:${owner}`)).toBeUndefined();
      expect(await getStore().findConversation(other.id)).toEqual(other);
      expect(await getStore().eraseOwner(owner, bot)).toEqual([]);
    });
  });
}

/** An end that comes after its conversation was deleted elsewhere: what the agent wrote down meanwhile is deleted too. */
import { expect, test, vi } from 'vitest';
import { silentLog } from '../../server-helper/log.ts';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { createClosing } from '../../server-helper/turns/closing.ts';
import type { Ends } from '../../server-helper/turns/ends.ts';
import { createDeletingAgain } from '../../server-helper/turns/losing.ts';
import type { TurnRun } from '../../server-helper/turns/run.ts';
import { LiveTurn } from '../../server-helper/turns/turn.ts';
import { toConversation, toTurn } from '../support/records.ts';

test.each([
  ['gone', 1],
  ['written', 0],
] as const)('an end whose outcome is %s has the chat deleted %i times more', async (outcome, times) => {
  const deleteAgain = vi.fn(async () => {});
  const context = {
    log: silentLog,
    metrics: { turnEnded() {} },
    tracing: { turnEnded() {} },
  };
  const ends = { write: async () => ({ outcome }) } as unknown as Ends;
  const close = createClosing(ends, 'one', () => {}, deleteAgain, context as never);
  const turn = new LiveTurn('c', 't', 1, { now: () => 9, monotonicNow: () => 9 });
  const conversation = toConversation();
  await close({ turn, conversation } as TurnRun, turn.toStopped());
  expect(deleteAgain).toHaveBeenCalledTimes(times);
  if (times > 0) expect(deleteAgain).toHaveBeenCalledWith(conversation);
});

test('the chat of a conversation that is there is not deleted, though a turn of it is gone', async () => {
  const store = createMemoryStore();
  const conversation = toConversation();
  const quiet = { quiet: async () => {} };
  const deleteAgain = createDeletingAgain({ store, log: silentLog }, quiet);
  const readChats = async () => (await store.listLeftovers(conversation.bot, 10)).map(({ id }) => id);
  await store.beginTurn(conversation, toTurn(conversation.id));
  await deleteAgain(conversation);
  expect(await readChats()).toEqual([]);
  await store.deleteConversation(conversation.id);
  await deleteAgain(conversation);
  expect(await readChats()).toEqual([conversation.chatId]);
});

/** A conversation read page by page: each message once and under its turn, wherever the agent wrote what was stopped. */
import { expect, test } from 'vitest';
import type { AgentConversations, RecordedMessage } from '../../server-helper/agent/conversation.ts';
import { type Cursor, readPage } from '../../server-helper/conversation/reading.ts';
import { silentLog } from '../../server-helper/log.ts';
import type { Store, TurnRecord } from '../../server-helper/store/store.ts';
import { toTurn } from '../support/records.ts';

const second = 1_000;

function write({ id, at, question, answer }: TurnRecord): RecordedMessage[] {
  const said = { at, sources: [], unfinished: false, finished: false };
  return [
    { ...said, id: `q-${id}`, role: 'visitor', text: question },
    { ...said, id: `a-${id}`, role: 'agent', text: answer ?? '' },
  ];
}

test.each([7, 8, 9, 10, 11])(
  'with %i answers after one that was stopped and written down behind the next, all are read once',
  async (later) => {
    const turns = Array.from({ length: 14 + later }, (_, index) => {
      const turn = toTurn('c', { id: `t${index}`, at: index * second, question: `Q ${index}` });
      const isStopped = index === 12;
      return {
        ...turn,
        status: isStopped ? ('stopped' as const) : ('completed' as const),
        answer: `Answer ${index}`,
        agentMessageId: isStopped ? undefined : `a-t${index}`,
      };
    });
    const order = turns.map((_, index) => ({ 12: 13, 13: 12 })[index] ?? index);
    const record = order.flatMap((index) => write(turns[index] as TurnRecord));
    const store = {
      listTurns: async (_: string, { before, limit }: { before: number; limit: number }) =>
        turns.filter(({ at }) => at < before).slice(-limit),
      forgetTexts: async (_: string, ids: readonly string[]) => {
        for (const turn of turns)
          if (ids.includes(turn.id)) Object.assign(turn, { answer: undefined, question: '' });
      },
    } as unknown as Store;
    const conversations = {
      read: async (_: string, count: number, before = record.length) => {
        const from = Math.max(0, before - count);
        return { total: record.length, from, messages: record.slice(from, before) };
      },
    } as unknown as AgentConversations;
    // Some of what is kept at the first reading is not at the second.
    for (let reading = 0; reading < 2; reading += 1) {
      const read: string[] = [];
      let cursor: Cursor | undefined;
      do {
        const page = await readPage(
          { store, conversations, log: silentLog },
          { id: 'c', chatId: 'x' },
          cursor,
        );
        read.push(...page.messages.map(({ id }) => id));
        cursor = page.next;
      } while (cursor);
      expect(read.toSorted()).toEqual(turns.flatMap(({ id }) => [id, `${id}.agent`]).toSorted());
    }
  },
);

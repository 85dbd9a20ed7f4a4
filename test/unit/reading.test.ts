/** A conversation read page by page: each message once and under its turn, wherever the agent wrote what was stopped. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentConversations, RecordedMessage } from '../../server-helper/agent/conversation.ts';
import { type ConversationPage, type Cursor, readPage } from '../../server-helper/conversation/reading.ts';
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

/** @param turns and `record` may grow between two readings */
function createReader(turns: readonly TurnRecord[], record: readonly RecordedMessage[]) {
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
  return async (size?: number, maxPages = Number.POSITIVE_INFINITY) => {
    const messages: ConversationPage['messages'] = [];
    let cursor: Cursor | undefined;
    let pages = 0;
    do {
      const page = await readPage(
        { store, conversations, log: silentLog },
        { id: 'c', chatId: 'x' },
        cursor,
        size,
      );
      messages.push(...page.messages);
      cursor = page.next;
      pages += 1;
    } while (cursor && pages < maxPages);
    return messages;
  };
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
    const read = createReader(turns, record);
    // Some of what is kept at the first reading is not at the second.
    for (let reading = 0; reading < 2; reading += 1) {
      const messages = await read();
      expect(messages.map(({ id }) => id).toSorted()).toEqual(
        turns.flatMap(({ id }) => [id, `${id}.agent`]).toSorted(),
      );
    }
  },
);

/** Each question with how many others are asked before its answer is written down, though it was said at once. */
const plans = fc.record({
  late: fc.array(fc.nat(3), { minLength: 3, maxLength: 12 }),
  words: fc.constantFrom(2, 3, 100),
  reads: fc.array(fc.record({ size: fc.integer({ min: 2, max: 8 }), pages: fc.constantFrom(1, 100) }), {
    minLength: 24,
    maxLength: 24,
  }),
});

test('however late answers are written down, and wherever a page begins, each is read under its question', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ late, words, reads }) => {
      const said = late.map((_, index) =>
        toTurn('c', {
          id: `t${index}`,
          at: index * second,
          question: `Q ${index % words}`,
          status: 'completed',
          answer: `Answer ${index}.`,
          agentMessageId: `a-t${index}`,
        }),
      );
      const turns: TurnRecord[] = [];
      const record: RecordedMessage[] = [];
      const read = createReader(turns, record);
      const add = async (message: RecordedMessage | undefined) => {
        if (message) record.push(message);
        const { size, pages } = reads[record.length - 1] ?? { size: 2, pages: 1 };
        await read(size, pages);
      };
      let waiting: { until: number; answer: RecordedMessage | undefined }[] = [];
      for (const [index, turn] of said.entries()) {
        turns.push({ ...turn });
        const [question, answer] = write(turn);
        await add(question);
        waiting.push({ until: index + (late[index] ?? 0), answer });
        for (const one of waiting) if (one.until <= index) await add(one.answer);
        waiting = waiting.filter(({ until }) => until > index);
      }
      for (const { answer } of waiting) await add(answer);
      for (const size of [2, 3, 4, 5, 6, 7, 8, 50]) {
        const told = await read(size);
        const seen = said.map(({ id }) =>
          [...new Set(told.filter(({ turnId }) => turnId === id).map(({ text }) => text))].toSorted(),
        );
        expect(seen).toEqual(said.map(({ answer, question }) => [answer, question]));
        // Of questions in the same words one may be told once more.
        if (words < 100) continue;
        expect(told.filter(({ turnId }) => !said.some(({ id }) => id === turnId))).toEqual([]);
      }
    }),
    { numRuns: 300 },
  );
});

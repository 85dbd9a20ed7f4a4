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

/**
 * @param turns and `record` may grow between two readings
 * @param notes so many of its own the agent has written down before each answer
 * @param meanwhile what happens while the record is read
 */
function createReader(
  turns: readonly TurnRecord[],
  record: readonly RecordedMessage[],
  notes = 0,
  meanwhile = () => {},
) {
  const store = {
    listTurns: async (_: string, { before, limit }: { before: number; limit: number }) =>
      turns
        .filter(({ at }) => at < before)
        .slice(-limit)
        .map((turn) => ({ ...turn })),
    forgetTexts: async (_: string, ids: readonly string[]) => {
      for (const turn of turns)
        if (ids.includes(turn.id)) Object.assign(turn, { answer: undefined, question: '' });
    },
  } as unknown as Store;
  const conversations = {
    read: async (_: string, count: number, before = Number.POSITIVE_INFINITY) => {
      await Promise.resolve();
      meanwhile();
      const all = record.flatMap((message) => [
        ...Array.from({ length: message.role === 'agent' ? notes : 0 }, () => undefined),
        message,
      ]);
      const end = Math.min(all.length, before);
      const from = Math.max(0, end - count);
      const own = all
        .slice(from, end)
        .flatMap((message, at) => (message ? [[message, from + at] as const] : []));
      return {
        total: end,
        from,
        messages: own.map(([message]) => message),
        indices: own.map(([, index]) => index),
        held: end - from,
      };
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

test.each([4, 19, 25, 45, 130])(
  'with %i notes of the agent before each answer, read after each question, all are told once',
  async (notes) => {
    const turns: TurnRecord[] = [];
    const record: RecordedMessage[] = [];
    const read = createReader(turns, record, notes);
    for (let index = 0; index < 12; index += 1) {
      const turn = toTurn('c', { id: `t${index}`, at: index * second, question: `Q ${index}` });
      const status = 'completed' as const;
      const asked = { ...turn, status, answer: `Answer ${index}`, agentMessageId: `a-t${index}` };
      turns.push(asked);
      record.push(...write(asked));
      await read(20, 1);
    }
    const messages = await read();
    expect(messages.map(({ text }) => text).toSorted()).toEqual(
      turns.flatMap((_, index) => [`Answer ${index}`, `Q ${index}`]).toSorted(),
    );
  },
);

/** How a turn went, and what of it the agent wrote down: under the id that it named, under another, with no id told. */
const kinds = [
  'named',
  'renamed',
  'unnamed',
  'in two pieces',
  'in two late pieces',
  'stopped',
  'failed',
  'not written down',
  'stopped after a decision',
] as const;
type Kind = (typeof kinds)[number];

const byIndex = (index: number) => String.fromCharCode(65 + index);

function toSaid(kind: Kind, index: number, question: string, heard: number) {
  const first = `${byIndex(index)}: let me look.`;
  const isTwo = /pieces|decision/.test(kind);
  const isCut = /stopped|failed|not written/.test(kind);
  const rest = `${byIndex(index).toLowerCase()} is so.`;
  const whole = isTwo ? `${first}\n\n${rest}` : `${byIndex(index)} is the answer, and more of it.`;
  const heardSince = isTwo ? heard % 9 : heard;
  const id = `t${index}`;
  const turn = toTurn('c', {
    id,
    at: index * second,
    endedAt: index * second + 500,
    question,
    status: kind === 'failed' ? 'failed' : isCut ? 'stopped' : 'completed',
    answer: isCut ? whole.slice(0, isTwo ? first.length + 2 + heardSince : heard) : whole,
    agentMessageId: isCut || kind === 'unnamed' ? undefined : kind === 'renamed' ? `z-${id}` : `a-${id}`,
    earlier: isTwo ? JSON.stringify({ cuts: [first.length] }) : undefined,
  });
  const [asked, answered] = write({
    ...turn,
    answer: isTwo ? rest : isCut ? whole.slice(0, heard + 3) : whole,
  }) as [RecordedMessage, RecordedMessage];
  const piece = { ...answered, id: `b-${id}`, text: first };
  const all: Record<Kind, { soon: RecordedMessage[]; late: RecordedMessage[] }> = {
    named: { soon: [asked], late: [answered] },
    renamed: { soon: [asked], late: [answered] },
    unnamed: { soon: [asked], late: [answered] },
    'in two pieces': { soon: [asked, piece], late: [answered] },
    'in two late pieces': { soon: [asked], late: [piece, answered] },
    stopped: { soon: [], late: [asked, answered] },
    failed: { soon: [], late: [asked, answered] },
    'not written down': { soon: [asked], late: [] },
    'stopped after a decision': { soon: [asked, piece], late: [answered] },
  };
  return { turn, whole, isCut, heardSince, ...all[kind] };
}

/** Each question with how many others are asked before its answer is written down, though it was said at once. */
const plans = fc.record({
  asked: fc.array(
    fc.record({ kind: fc.constantFrom(...kinds), late: fc.nat(3), heard: fc.integer({ min: 0, max: 25 }) }),
    { minLength: 3, maxLength: 12 },
  ),
  words: fc.constantFrom(2, 3, 100),
  notes: fc.constantFrom(0, 0, 1, 4, 10),
  reads: fc.array(fc.record({ size: fc.integer({ min: 2, max: 8 }), pages: fc.constantFrom(1, 100) }), {
    minLength: 48,
    maxLength: 48,
  }),
});

/** The end of a stopped answer is written down beneath another question, of which nothing was heard, on another page than its own. */
const apart = {
  asked: [
    { kind: 'failed' as const, late: 3, heard: 0 },
    { kind: 'stopped after a decision' as const, late: 2, heard: 0 },
    { kind: 'named' as const, late: 0, heard: 0 },
    { kind: 'named' as const, late: 0, heard: 0 },
  ],
  words: 100 as const,
  notes: 0 as const,
  reads: Array.from({ length: 48 }, () => ({ size: 2, pages: 1 as const })),
};

test('however late answers are written down, and wherever a page begins, each is read under its question', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ asked, words, notes, reads }) => {
      const said = asked.map(({ kind, heard }, index) => toSaid(kind, index, `Q ${index % words}`, heard));
      const turns: TurnRecord[] = [];
      const record: RecordedMessage[] = [];
      const read = createReader(turns, record, notes);
      const add = async (messages: readonly RecordedMessage[]) => {
        for (const message of messages) {
          record.push(message);
          const { size, pages } = reads[record.length - 1] as (typeof reads)[number];
          await read(size, pages);
        }
      };
      let waiting: { until: number; messages: RecordedMessage[] }[] = [];
      for (const [index, { turn, soon, late }] of said.entries()) {
        turns.push({ ...turn });
        await add(soon);
        waiting.push({ until: index + (asked[index]?.late ?? 0), messages: late });
        for (const { until, messages } of waiting) if (until <= index) await add(messages);
        waiting = waiting.filter(({ until }) => until > index);
      }
      for (const { messages } of waiting) await add(messages);
      for (const size of [2, 3, 4, 5, 6, 7, 8, 50]) {
        const told = await read(size);
        const find = (id: string, role: string) => [
          ...new Set(told.filter((one) => one.turnId === id && one.role === role).map(({ text }) => text)),
        ];
        for (const { turn, whole, isCut, heardSince } of said) {
          expect(find(turn.id, 'visitor')).toEqual([turn.question]);
          const answers = find(turn.id, 'agent');
          if (!isCut) expect(answers).toEqual([whole]);
          // Of so few words, of questions in the same ones, nobody can tell whose they are.
          else if (words === 100 || heardSince > 2)
            for (const answer of answers) {
              expect(whole.startsWith(answer)).toBe(true);
              expect(answer.length).toBeGreaterThanOrEqual(turn.answer?.length ?? 0);
            }
        }
        // Of questions in the same words one may be told once more.
        if (words < 100) continue;
        expect(told.filter(({ turnId }) => !said.some(({ turn }) => turn.id === turnId))).toEqual([]);
      }
    }),
    { numRuns: 300, examples: [[apart]] },
  );
}, 90_000);

test('what the record holds a part of, in letters that are more, is kept and told whole', async () => {
  const whole = 'Cửa hàng mở cửa lúc chín giờ sáng mỗi ngày. Giày được giao trong hai ngày.';
  const part = whole.slice(0, -12).normalize('NFD');
  expect(part.length).toBeGreaterThan(whole.length);
  const asked = {
    question: 'First?',
    answer: whole,
    agentMessageId: 'a-first',
    status: 'completed',
  } as const;
  const turns = [toTurn('c', { id: 'first', at: second, ...asked })];
  const read = createReader(turns, write({ ...turns[0]!, answer: part }));
  expect((await read()).map(({ text }) => text)).toEqual(['First?', whole]);
  expect(turns[0]?.answer).toBe(whole);
});

test('what is asked while the record is read, and stands in it, is told as what runs', async () => {
  const turns = [
    toTurn('c', { id: 'first', at: second, status: 'completed', question: 'First?', answer: 'One.' }),
  ];
  const record = turns.flatMap(write);
  const read = createReader(turns, record, 0, () => {
    turns.push(toTurn('c', { id: 'next', at: 2 * second, status: 'running', question: 'Next?', answer: '' }));
    record.push(...write({ ...turns[1]!, answer: 'A fragm' }));
  });
  const messages = await read();
  expect(messages.map(({ id, role }) => [id, role])).toEqual([
    ['first', 'visitor'],
    ['first.agent', 'agent'],
    ['next', 'visitor'],
  ]);
});

test('what ends while the record is read, and is let go by another reader, is read where it stands', async () => {
  const asked = toTurn('c', { id: 'first', at: second, status: 'running', question: 'First?', answer: 'On' });
  const written = write({ ...asked, answer: 'One.' });
  const record: RecordedMessage[] = [];
  let readings = 0;
  const read = createReader([asked], record, 0, () => {
    // What is read at first is of before the end.
    if (readings > 0) record.splice(0, 2, ...written);
    readings += 1;
    Object.assign(asked, { status: 'completed', answer: undefined, question: '', agentMessageId: 'a-first' });
  });
  expect((await read()).map(({ text }) => text)).toEqual(['First?', 'One.']);
  expect(readings).toBe(2);
});

test('what another reader lets go while the record is read is told all the same', async () => {
  const turns = [
    toTurn('c', { id: 'first', at: second, status: 'completed', question: 'First?', answer: 'One.' }),
  ];
  // The record that this reader got does not hold it yet.
  const read = createReader(turns, [], 0, () =>
    Object.assign(turns[0]!, { answer: undefined, question: '' }),
  );
  expect((await read()).map(({ text }) => text)).toEqual(['First?', 'One.']);
});

/** A turn that another helper runs: what the agent streams in this chat is shown only while it is this turn's. */
import { expect, test } from 'vitest';
import type { Frame } from '../../server-helper/agent/frame.ts';
import type { AnswerSink } from '../../server-helper/agent/stream.ts';
import { silentLog } from '../../server-helper/log.ts';
import type { TurnRecord } from '../../server-helper/store/store.ts';
import type { RunContext } from '../../server-helper/turns/context.ts';
import { followElsewhere } from '../../server-helper/turns/elsewhere.ts';
import type { LiveTurn } from '../../server-helper/turns/turn.ts';
import { until } from '../support/helper-process.ts';
import { toConversation, toTurn } from '../support/records.ts';

/** Follows the turn of `records[0]`, with the agent's stream and the store in the test's hands. */
function follow(records: TurnRecord[]) {
  const [mine] = records as [TurnRecord];
  const shown: string[] = [];
  const sinks: AnswerSink[] = [];
  const state = { isAborted: false, asked: 0 };
  const turn = {
    id: mine.id,
    isOver: false,
    log: { flush() {} },
    onFrame: (frame: Frame) => frame.kind === 'text' && shown.push(frame.text),
  };
  const context = {
    log: silentLog,
    now: () => mine.at + 60_000,
    monotonicNow: () => performance.now(),
    store: {
      listTurns: async () => {
        state.asked += 1;
        return records;
      },
      findTurn: async () => mine,
    },
    chat: {
      subscribe: (_: string, sink: AnswerSink) => {
        sinks.push(sink);
        return {
          abort() {
            state.isAborted = true;
          },
        };
      },
    },
  };
  const followed = followElsewhere(
    context as unknown as RunContext,
    turn as unknown as LiveTurn,
    toConversation(),
    { left: new AbortController().signal, take: async () => undefined },
  );
  const end = async () => {
    turn.isOver = true;
    await followed;
  };
  const say = (text: string) => sinks.at(-1)?.onFrame({ kind: 'text', text } as Frame);
  return { shown, sinks, state, say, end };
}

test('what comes while the turn runs is shown, from its first words on', async () => {
  const { shown, sinks, say, end } = follow([toTurn('c', { status: 'running' })]);
  await until(() => sinks.length === 1, 'it follows');
  say('One ');
  say('two ');
  await until(() => shown.length === 2, 'they are shown');
  say('three.');
  expect(shown).toEqual(['One ', 'two ', 'three.']);
  await end();
});

test('what comes once the next question stands is that one’s: none of it is shown', async () => {
  const records = [toTurn('c', { status: 'running', at: 1 })];
  const { shown, sinks, state, say, end } = follow(records);
  await until(() => sinks.length === 1, 'it follows');
  records.push(toTurn('c', { status: 'running', at: 2 }));
  say('Foreign ');
  say('words.');
  await until(() => state.isAborted, 'it no longer listens');
  expect(shown).toEqual([]);
  await end();
});

test('a chat in which the next question runs is not listened to', async () => {
  const mine = toTurn('c', { status: 'running', at: 1 });
  const { sinks, state, end } = follow([mine, toTurn('c', { status: 'running', at: 2 })]);
  await until(() => state.asked > 0, 'the store was asked');
  expect(sinks).toEqual([]);
  await end();
});

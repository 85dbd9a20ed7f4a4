/** Tells a turn from the records, as it stands in the store: after a restart, or when another helper has ended it. */
import { readPause } from '../conversation/pause.ts';
import { readBack } from '../conversation/readback.ts';
import { toWhole } from '../conversation/words.ts';
import { HelperError } from '../errors.ts';
import type { ConversationRecord, TurnRecord } from '../store/store.ts';
import { within } from '../within.ts';
import type { RunContext } from './context.ts';
import type { LiveTurn } from './turn.ts';

/** So long the end of an answer that is kept waits for its sources. */
const sourcesMs = 1_000;

/**
 * Adds to `turn` what it lacks up to the end that `record` has.
 *
 * @throws HelperError when the agent's record cannot be read, or holds no answer where there must be one
 */
export async function tellRecord(
  context: Pick<RunContext, 'conversations'>,
  turn: LiveTurn,
  conversation: Pick<ConversationRecord, 'chatId'>,
  record: TurnRecord,
): Promise<void> {
  turn.retell(record.endedAt);
  try {
    await tell(context, turn, conversation, record);
  } finally {
    turn.retell(undefined);
  }
}

async function tell(
  { conversations }: Pick<RunContext, 'conversations'>,
  turn: LiveTurn,
  { chatId }: Pick<ConversationRecord, 'chatId'>,
  record: TurnRecord,
): Promise<void> {
  const { agentMessageId, answer } = record;
  if (record.status === 'completed') {
    const read = async () => {
      if (agentMessageId === undefined) return undefined;
      return readBack(conversations, chatId, (all) => all.find(({ id }) => id === agentMessageId));
    };
    // What is kept here needs no agent: only its sources are missing then.
    const found =
      answer === undefined ? await read() : await within(read(), sourcesMs).catch(() => undefined);
    const text = toWhole(found?.text, answer);
    if (text === undefined) throw new HelperError('not-found');
    sayRest(turn, text);
    turn.cite(found?.sources ?? []);
    return turn.end(turn.toCompleted(text, found?.id));
  }
  // Who stopped it may not have known what was said.
  if (answer !== undefined) sayRest(turn, answer);
  if (record.status === 'paused' && record.pause) turn.end(turn.toPaused(readPause(record.pause)));
  else if (record.status === 'failed') turn.end(turn.toFailed(new HelperError(record.code ?? 'internal')));
  else turn.end(turn.toStopped(answer ?? turn.text));
}

function sayRest(turn: LiveTurn, text: string): void {
  if (text.startsWith(turn.text)) turn.say(text.slice(turn.text.length));
  // What was shown cannot be taken back; what is said from here on follows what the store has.
  else turn.text = text;
}

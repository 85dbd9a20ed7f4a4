/** Takes a question back with all that followed it, at the agent first, so that a new one can stand in its place. */
import type { RecordedMessage } from '../agent/conversation.ts';
import { alignRecord, readSince } from '../conversation/alignment.ts';
import { type Earlier, nothingEarlier, readEarlier, type TakenBack } from '../conversation/earlier.ts';
import { readBack } from '../conversation/readback.ts';
import { HelperError } from '../errors.ts';
import type { ConversationRecord, TurnRecord } from '../store/store.ts';
import type { Cancelling } from './cancelling.ts';
import type { RunContext } from './context.ts';
import { findCut } from './record.ts';
import type { LiveTurn } from './turn.ts';

/** Of what is taken back, so much is remembered: the beginning is enough to know it by. */
const rememberedChars = 500;
const mostTakenBack = 10;
/** One that lies further back is not taken back. */
const newest = { limit: 300 };
/** A message that no turn of ours has is looked for among so many: each page is a call of the agent's plan. */
const farthest = 200;

type Taking = Pick<RunContext, 'conversations' | 'store'> & {
  cancelling: Pick<Cancelling, 'during'>;
  /** The turn is not stopped by the store. */
  isOurs: () => Promise<boolean>;
};

/**
 * @param replaced id of a turn, or of a message in the record that no turn of ours has
 * @throws HelperError when the record does not say where to cut: then nothing has been changed
 */
export async function takeBack(
  { conversations, store, cancelling, isOurs }: Taking,
  conversation: ConversationRecord,
  asked: string,
  turn: LiveTurn,
): Promise<void> {
  const isStopped = () => turn.isOver || turn.isClosing;
  const turns = (await store.listTurns(conversation.id, newest)).filter(({ id }) => id !== turn.id);
  // While its workspace was made: its end says what is known of it.
  if (isStopped()) return;
  const replaced = findFirst(turns, asked);
  const keepEarlier = async (earlier: Earlier) => {
    turn.earlier = JSON.stringify(earlier);
    await store.setEarlier(conversation.id, turn.id, turn.earlier);
  };
  // Where the record cannot be read this turn fails, and the next try has to take back all that this one was to.
  await keepEarlier({ ...nothingEarlier, replaces: replaced });
  const index = turns.findIndex(({ id }) => id === replaced);
  let told: readonly RecordedMessage[] = [];
  const cut = await readBack(conversations, conversation.chatId, (messages, isWhole) => {
    told = messages;
    if (index >= 0) return findCut(messages, isWhole, turns, replaced);
    if (messages.some(({ id }) => id === replaced)) return { messageId: replaced };
    return messages.length >= farthest ? 'nothing' : undefined;
  });
  if (isStopped()) return;
  if (index < 0 && (cut === undefined || cut === 'nothing')) return;
  if (cut === undefined)
    throw new HelperError('agent-unavailable', 'The replaced question was not found in the record');
  // What is asked after a Stop would be cut off with the rest: it waits.
  await cancelling.during(conversation.chatId, async () => {
    // Stopped meanwhile, here or at another helper: then nothing is taken back for it.
    if (isStopped() || !(await isOurs()) || isStopped()) return;
    const ids = told.map(({ id }) => id);
    // Of a message that no turn of ours has nothing is looked up.
    const exchanges = index < 0 ? [] : alignRecord(told, turns);
    const found = new Set(exchanges.map((exchange) => exchange.turn?.id));
    // First, since an agent may write down late what is taken back now.
    const takenBack = (index < 0 ? [] : turns.slice(index))
      .flatMap((old) => [...readEarlier(old.earlier).takenBack, toTakenBack(old, found.has(old.id), ids)])
      .slice(-mostTakenBack);
    await keepEarlier({ ...nothingEarlier, ids, takenBack, replaces: replaced });
    if (cut !== 'nothing') await conversations.truncate(conversation.chatId, cut.messageId);
    if (index >= 0) await store.dropTurnsFrom(conversation.id, replaced, turn.id);
  });
}

/** @throws HelperError for a question that was taken back, and where what its visitor has not seen would be */
export function refuseStale(turns: readonly TurnRecord[], turnId: string, newest: string | undefined): void {
  const others = turns.filter(({ id }) => id !== turnId);
  const isTakenBack = (asked: string | undefined) =>
    others.some(({ earlier }) => readEarlier(earlier).takenBack.some(({ id }) => id === asked));
  if (isTakenBack(turnId)) throw new HelperError('turn-conflict', 'This question was taken back');
  const seen = others.findIndex(({ id }) => id === newest);
  if (isTakenBack(newest) || (seen >= 0 && seen < others.length - 1))
    throw new HelperError('turn-conflict', 'More was asked in this conversation since: read it first');
}

/** Of a try that failed before anything was taken back: what it was a try at. */
function findFirst(turns: readonly TurnRecord[], asked: string): string {
  let replaced = asked;
  for (let tries = turns.length; tries > 0; tries -= 1) {
    const before = turns.find(({ id }) => id === replaced);
    const { replaces } = readEarlier(before?.earlier);
    if (replaces === undefined || !turns.some(({ id }) => id === replaces)) break;
    replaced = replaces;
  }
  return replaced;
}

function toTakenBack(old: TurnRecord, wasFound: boolean, ids: readonly string[]): TakenBack {
  const { id, at, question, status, endedAt, agentMessageId, earlier } = old;
  const [answer = '', ...since] = [old.answer ?? '', ...readSince(old)].map((text) =>
    text.slice(0, rememberedChars),
  );
  const { isUntaken } = readEarlier(earlier);
  return {
    ...{ id, at, question, status, answer, wasFound },
    ...(since.length > 0 && { since }),
    ...(endedAt !== undefined && { endedAt }),
    ...(agentMessageId !== undefined && ids.includes(agentMessageId) && { agentMessageId }),
    ...(isUntaken && { isUntaken }),
  };
}

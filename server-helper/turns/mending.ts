/** What became of an answer whose stream broke off: from the reply that still runs, else from the agent's record. */

import { AgentMissing, AgentUntaken } from '../agent/failure.ts';
import type { AgentPause, AgentReply } from '../agent/frame.ts';
import type { AnswerEnd } from '../agent/stream.ts';
import { readNewest } from '../conversation/readback.ts';
import { isBehind } from '../conversation/words.ts';
import { HelperError } from '../errors.ts';
import type { ConversationRecord } from '../store/store.ts';
import { sleep, within } from '../within.ts';
import type { RunContext } from './context.ts';
import { toFinalText } from './finaltext.ts';
import { findAnswer, isAsked, type Lately, maySpeakStill, readLately, tellingChars } from './record.ts';
import type { LiveTurn } from './turn.ts';

export type Rest =
  | { kind: 'reply'; reply: AgentReply }
  | { kind: 'pause'; pause: AgentPause }
  | { kind: 'text'; text: string; id: string | undefined }
  | { kind: 'nothing'; error: HelperError };

/** Of the run whose answer is looked for. */
type Broken = {
  readonly turn: LiveTurn;
  readonly conversation: ConversationRecord;
  readonly isDone: boolean;
  readonly hasArrived: boolean;
  readonly mayRun: boolean;
  followAgain(isSure: boolean, lately: Lately): Promise<AnswerEnd>;
  onLife(): void;
};

export const recordMessages = 20;
const waitsMs = [0, 500, 1500, 4000];
/** What the record of a silent agent held one round before was last written then, a second and a half ago. */
const steadyRound = 2;
/** An agent that says that it still speaks, or that never says, is asked again so often: a tool of its may run for long. */
const mostRounds = 10;
/** An agent that is slow to say whether it speaks may have written the answer down long ago; later it is given longer. */
const statusMs = 1_000;
const wholeMs = 900;
/** Of the turns, those that the end of the record may be about. */
const newest = { limit: 100 };

export async function findRest(
  run: Broken,
  { chat, store, conversations }: RunContext,
  cause: HelperError | undefined,
): Promise<Rest> {
  const { turn, conversation } = run;
  const { chatId } = conversation;
  turn.goOnFromDecision();
  const nothing = (error: HelperError): Rest => ({ kind: 'nothing', error });
  const asItStands = (): Rest => ({ kind: 'text', text: turn.text, id: undefined });
  let error = cause ?? new HelperError('agent-unavailable');
  /** Something runs at the agent, perhaps this turn; and what its record held as the answer then. */
  let [isPerhaps, held]: [boolean, string?] = [false];
  let last = waitsMs.length - 1;

  for (let round = 0; round <= last; round += 1) {
    const waitMs = waitsMs[Math.min(round, waitsMs.length - 1)] ?? 0;
    if (waitMs > 0) await sleep(waitMs);
    if (run.isDone) return nothing(error);
    try {
      const asked = within(chat.isStreaming(chatId), round < 2 ? statusMs : 2 * statusMs);
      // An agent that does not say has its record all the same.
      const said = await asked.catch(() => null);
      let told = said ?? undefined;
      isPerhaps ||= told === true || said === null;
      if (told) {
        run.onLife();
        if (run.hasArrived || run.mayRun) last = Math.max(last, Math.min(round + 2, mostRounds));
      }
      // While an earlier turn may still be speaking, only its own words tell whose reply runs there.
      const before = told ? await store.listTurns(conversation.id, newest) : [];
      const isSure = told === true && !maySpeakStill(before, turn.id);
      if (isSure || (told && turn.text.length >= tellingChars)) {
        const end = await run.followAgain(isSure, readLately(before, turn.id));
        if (run.isDone) return nothing(error);
        if (turn.reply) return { kind: 'reply', reply: turn.reply };
        if (turn.pause) return { kind: 'pause', pause: turn.pause };
        // It has said its last word: what the record holds now is what it wrote.
        if (end.kind === 'ended') told = false;
      }
      const reading = readNewest(conversations, chatId, recordMessages);
      // Of an answer that is whole the record only adds the id and the sources.
      const messages = await (isWhole(turn) ? within(reading, wholeMs) : reading);
      const turns = await store.listTurns(conversation.id, newest);
      if (run.isDone) return nothing(error);
      const heard = turns.map((one) => (one.id === turn.id ? { ...one, answer: turn.text } : one));
      const found = findAnswer(messages, heard, turn.id, run.hasArrived);
      const isLate = found !== undefined && isBehind(found.text, turn.text);
      // Of one that may still be written the record has a part, until it has long stayed as it is.
      const isSteady = found !== undefined && found.text === held;
      const isSettled =
        told === false ? isSteady && round >= steadyRound : told === undefined && isSteady && round === last;
      if (found && !isLate && (isSettled || isWhole(turn) || (told === false && found.finished))) {
        turn.cite(found.sources);
        const text = toFinalText(turn, found.text);
        if (text.startsWith(turn.text)) turn.say(text.slice(turn.text.length));
        return { kind: 'text', text, id: found.id };
      }
      held = found?.text;
      if (isWhole(turn)) return asItStands();
      // It has the question, and does not say whether it still writes.
      const isAwaited = !found && said === undefined && isAsked(messages, turns, turn.id);
      // What the last look finds is looked at once more.
      if (isAwaited || (found && !isLate && round === last))
        last = Math.max(last, Math.min(round + 1, mostRounds));
      if (!found && !run.hasArrived && !isPerhaps && !isAwaited) {
        // Nothing runs there, and the record has nothing of it.
        if (told === false && error.code === 'agent-unavailable' && !isAsked(messages, turns, turn.id))
          error = new AgentUntaken();
        break;
      }
    } catch (caught) {
      // A store that does not answer is no reason to give an answer up, nor is an agent without a record.
      if (!(caught instanceof AgentMissing))
        error = caught instanceof HelperError ? caught : new HelperError('internal');
      // An agent that cannot be reached, and may never have had the question: the visitor need not wait to be told.
      if (!run.hasArrived && !isPerhaps && waitMs > 0) break;
      if (isWhole(turn)) return asItStands();
    }
  }
  return turn.reply ? { kind: 'reply', reply: turn.reply } : nothing(error);
}

/** `[DONE]` was the agent's own word that nothing is missing. */
function isWhole({ saidDone, text, textBefore, damaged }: LiveTurn): boolean {
  return saidDone && text !== textBefore && !damaged;
}

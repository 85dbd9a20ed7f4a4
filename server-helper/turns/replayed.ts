/** A running reply followed again from its start: of what is told again, only what goes beyond the shown text is said. */
import type { AgentPause, AgentReply, Frame } from '../agent/frame.ts';
import { toWords } from '../conversation/words.ts';
import { HelperError } from '../errors.ts';
import { limits } from '../protocol/wire.ts';
import type { Lately } from './record.ts';
import type { LiveTurn } from './turn.ts';

/** What begins as another's for so long is held back to its end, which tells whose it is. */
const alikeChars = 400;

export type Replayed = {
  /** Says what is this turn's of it, and is new. @returns false to hang up: a pause that was decided on is told again */
  onFrame(frame: Frame): boolean;
};

/**
 * After a decision an agent may tell all of the answer again, or only what came since. A replay that differs from what
 * was shown adds nothing: the record will have the last word. So has it where an earlier turn's reply is told, which an
 * agent may call running for a while after its end.
 *
 * @param isSure nothing that was given up can run there
 * @param lately what ended not long before this turn began, and may be told in its place
 */
export function createReplayed(turn: LiveTurn, isSure: boolean, lately: Lately): Replayed {
  const shown = turn.text.length;
  /** From where in the shown text it may tell, and what it told beyond that text. */
  let readings = (isSure ? [...new Set([0, ...turn.cuts, turn.textBefore.length])] : [0]).map((from) => ({
    from,
    beyond: '',
  }));
  let chars = 0;
  /** What it told, while it may be another's: those whose answer begins so. */
  let told = '';
  let others = lately.answers;

  /** It has told all that was shown: its end is the end of that too. */
  const isWhole = () => readings[0] !== undefined && readings[0].from + chars >= shown;
  const say = (): void => {
    const [first] = readings;
    if (!first || first.beyond === '') return;
    turn.onFrame({ kind: 'text', text: first.beyond });
    readings = [{ from: first.from, beyond: '' }];
  };
  const take = (text: string): void => {
    const saidBefore = turn.text;
    readings = readings.filter((reading) => {
      const known = saidBefore.slice(reading.from + chars, reading.from + chars + text.length);
      reading.beyond += text.slice(known.length);
      return text.startsWith(known);
    });
    chars += text.length;
    // What is told in other words adds nothing, and does not go on for ever.
    if (chars > limits.maxTurnBytes) turn.giveUp(new HelperError('too-large'));
    if (others.length > 0 && told.length < alikeChars) {
      told += text;
      const words = toWords(told);
      others = others.filter((answer) => answer === undefined || answer.startsWith(words));
    }
    if (others.length === 0) say();
  };
  const isOthers = ({ text, agentMessageId }: AgentReply): boolean => {
    if (agentMessageId !== undefined && lately.ids.includes(agentMessageId)) return true;
    const words = text === undefined ? undefined : toWords(text);
    return lately.answers.some((answer) =>
      answer === undefined
        ? agentMessageId === undefined
        : words === undefined
          ? others.length > 0
          : answer === words,
    );
  };
  /** The question that it goes back to is this turn's alone. */
  const isAsked = ({ originalQuery }: AgentPause): boolean =>
    originalQuery !== undefined && !lately.questions.includes(toWords(originalQuery));

  return {
    onFrame(frame) {
      if (frame.kind === 'text') take(frame.text);
      else if (frame.kind === 'pause' && turn.decided.includes(frame.pause.executionId)) return false;
      else if (frame.kind === 'final') {
        // What another turn said is none of this one's, nor is the end of other words.
        if (isOthers(frame.reply) || !(isSure || isWhole())) return true;
        others = [];
        say();
        turn.onFrame(frame);
      } else if (others.length > 0) {
        if (frame.kind === 'pause' && isAsked(frame.pause)) {
          others = [];
          say();
          turn.onFrame(frame);
        }
      } else if (frame.kind === 'done') {
        if (isWhole()) turn.onFrame({ kind: 'done' });
      } else if (isSure || isWhole()) turn.onFrame(frame);
      return true;
    },
  };
}

/** A running reply followed again from its start: of what is told again, only what goes beyond the shown text is said. */
import type { LiveTurn } from './turn.ts';

export type Replayed = {
  say(text: string): void;
  /** It is this turn's: nothing else can run there, or it began with all that was shown. */
  readonly isOwn: boolean;
  /** It has told all that was shown: its end is the end of that too. */
  readonly isWhole: boolean;
};

/**
 * After a decision an agent may tell all of the answer again, or only what came since. A replay that differs from what
 * was shown adds nothing: the record will have the last word.
 */
export function createReplayed(turn: LiveTurn, isSure: boolean): Replayed {
  const shown = turn.text.length;
  /** From where in the shown text it may tell, and what it told beyond that text. */
  let readings = (isSure ? [...new Set([0, turn.textBefore.length])] : [0]).map((from) => ({
    from,
    beyond: '',
  }));
  let chars = 0;
  const isWhole = () => readings[0] !== undefined && readings[0].from + chars >= shown;
  return {
    say(text) {
      const saidBefore = turn.text;
      readings = readings.filter((reading) => {
        const known = saidBefore.slice(reading.from + chars, reading.from + chars + text.length);
        reading.beyond += text.slice(known.length);
        return text.startsWith(known);
      });
      chars += text.length;
      const [first] = readings;
      if (!first || first.beyond === '') return;
      turn.onFrame({ kind: 'text', text: first.beyond });
      readings = [{ from: first.from, beyond: '' }];
    },
    get isOwn() {
      return isSure || isWhole();
    },
    get isWhole() {
      return isWhole();
    },
  };
}

/** A running reply followed again from its start: of what is told again, only what goes beyond the shown text is said. */
import type { LiveTurn } from './turn.ts';

export type Replayed = {
  say(text: string): void;
  /** It is this turn's: nothing else can run there, or it began with all that was shown. */
  readonly isOwn: boolean;
};

/** A replay that differs from what was shown adds nothing: the record will have the last word. */
export function createReplayed(turn: LiveTurn, isSure: boolean): Replayed {
  const shown = turn.text.length;
  let chars = 0;
  let differs = false;
  return {
    say(text) {
      if (differs) return;
      const known = turn.text.slice(chars, chars + text.length);
      differs = !text.startsWith(known);
      chars += text.length;
      if (!differs && text.length > known.length)
        turn.onFrame({ kind: 'text', text: text.slice(known.length) });
    },
    get isOwn() {
      return isSure || (!differs && chars >= shown);
    },
  };
}

/** What stands as a turn's answer once the agent has sent its final text. Pure. */
import type { AgentReply } from '../agent/frame.ts';
import { toWords } from '../conversation/words.ts';
import type { LiveTurn } from './turn.ts';

type Said = Pick<LiveTurn, 'text' | 'textBefore' | 'cuts'>;

/** @param final as the agent sent it: the whole answer, or what came since one of its decisions */
export function toFinalText({ text, textBefore, cuts }: Said, final: string | undefined): string {
  // An end without words takes nothing back of what was said, nor do other outer spaces.
  if (final === undefined || final.trim() === '' || final.trim() === text.trim()) return text;
  const words = toWords(final);
  if (words.startsWith(toWords(textBefore))) return final;
  const from = cuts.find((cut) => {
    const since = toWords(textBefore.slice(cut));
    return since !== '' && words.startsWith(since);
  });
  if (from !== undefined) return textBefore.slice(0, from) + final;
  // Only what came after the pause: what was said before it stays.
  return toWords(text.slice(textBefore.length)) === words ? text : textBefore + final;
}

/** A reply without a word, where none was said before, is none: the record may have one. */
export function isAnswer(turn: Said, { text }: AgentReply): boolean {
  return toFinalText(turn, text).trim() !== '';
}

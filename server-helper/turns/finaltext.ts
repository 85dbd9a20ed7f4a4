/** What stands as a turn's answer once the agent has sent its final text. Pure. */
import type { AgentReply } from '../agent/frame.ts';
import { toWords } from '../conversation/words.ts';

/** @param text said so far, of which `textBefore` before the last decision @param final as the agent sent it */
export function toFinalText(text: string, textBefore: string, final: string | undefined): string {
  // An end without words takes nothing back of what was said, nor do other outer spaces.
  if (final === undefined || final.trim() === '' || final.trim() === text.trim()) return text;
  if (toWords(final).startsWith(toWords(textBefore))) return final;
  // Only what came after the pause: what was said before it stays.
  return text.slice(textBefore.length).trim() === final.trim() ? text : textBefore + final;
}

/** A reply without a word, where none was said before, is none: the record may have one. */
export function isAnswer(turn: { text: string; textBefore: string }, { text }: AgentReply): boolean {
  return toFinalText(turn.text, turn.textBefore, text).trim() !== '';
}

/** The words of a text: what stays however an agent writes it down, with other white space or letters put together otherwise. */
export function toWords(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}

export type Text = { readonly text: string };

const known = new WeakMap<Text, string>();

/** The words of a text that one reading compares with many others. */
export function readWords(text: Text): string {
  const words = known.get(text) ?? toWords(text.text);
  known.set(text, words);
  return words;
}

/** Whether `whole` begins with `part`, however an agent wrote them down: with its letters, or else with its words. */
export function beginsAs(whole: Text, part: Text): boolean {
  if (part.text.trim() === '') return false;
  if (isBeginning(part.text, whole.text)) return true;
  const [all, some] = [readWords(whole), readWords(part)];
  // A word that was over is no other one's beginning.
  const isOver = /\s$/.test(part.text) && all.length > some.length;
  return isBeginning(some, all) && (!isOver || all[some.length] === ' ');
}

/** What begins alike mostly differs at its end. */
const endChars = 64;

/** Compared as a whole: where long texts are alike `startsWith`, letter by letter, takes ten times as long. */
export function isBeginning(part: string, whole: string): boolean {
  if (part.length > whole.length) return false;
  const from = Math.max(0, part.length - endChars);
  return whole.slice(from, part.length) === part.slice(from) && whole.slice(0, part.length) === part;
}

/** Either is how the other begins. */
export function beginAlike(one: Text, other: Text): boolean {
  return beginsAs(one, other) || beginsAs(other, one);
}

/** The record holds less than was heard: the agent has not written it all down yet. */
export function isBehind(recorded: string, heard: string): boolean {
  const [held, said] = [toWords(recorded), toWords(heard)];
  return held !== '' && said.includes(held) && !said.endsWith(held);
}

/** The record may still hold less of an answer than was streamed: what is kept stands until it holds as much. */
export function toWhole(recorded: string | undefined, kept: string | undefined): string | undefined {
  if (recorded === undefined || recorded.length < (kept?.length ?? 0)) return kept;
  return toWords(recorded).length >= toWords(kept ?? '').length ? recorded : kept;
}

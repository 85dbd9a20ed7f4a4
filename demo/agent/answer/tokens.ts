/** How long a text is to a model: an estimate, for none is asked. Four letters of a Latin script are a token. */

import { wellFormed } from '../text.ts';

const charsOfToken = 4;
/** Letters of other alphabets, and from where on each character is a token, half of an emoji too. */
const [firstOther, firstWide] = [0x250, 0x2e80];

/** `<`, in whose place data has a character of another script, see `toDataBlock`. */
const tag = 0x3c;

const toCharSize = (code: number) =>
  code < firstOther && code !== tag ? 1 : code < firstWide ? 2 : charsOfToken;

/** In quarters of a token: as many as characters, where all are Latin. */
export function toSize(text: string): number {
  let size = 0;
  for (let at = 0; at < text.length; at += 1) size += toCharSize(text.charCodeAt(at));
  return size;
}

/** @param most in quarters of a token */
export function cutToSize(text: string, most: number): string {
  let size = 0;
  for (let at = 0; at < text.length; at += 1) {
    size += toCharSize(text.charCodeAt(at));
    if (size > most) return text.slice(0, at);
  }
  return text;
}

export const estimateTokens = (text: string): number => Math.ceil(toSize(text) / charsOfToken);

/** In quarters of a token. */
export const ofTokens = (tokens: number): number => Math.floor(tokens * charsOfToken);

/** At most so many estimated tokens, cut between words. */
export function cutToTokens(text: string, maxTokens: number | undefined): string {
  const fit = cutToSize(text, (maxTokens ?? Number.POSITIVE_INFINITY) * charsOfToken);
  if (fit.length === text.length) return text;
  const cut = wellFormed(fit);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 0)) || cut}…`;
}

/** Shares the room of a model's context among texts of which each may be long. */

import { wellFormed } from '../text.ts';
import { cutToSize, toSize } from './tokens.ts';

/** In their order; one that is too long takes no room from those after it. @param most of what `toSize` gives */
export function thatFit<T>(items: readonly T[], most: number, toSize: (item: T) => number): T[] {
  let left = most;
  return items.filter((item) => {
    const size = toSize(item);
    if (size > left) return false;
    left -= size;
    return true;
  });
}

const cutNote = '\n(cut here: it goes on)';

/**
 * In the order given. What a short one leaves of its share is for the longer ones.
 *
 * @param most of all together, in quarters of a token
 * @param mostOfOne characters
 */
export function cutTogether(
  texts: readonly string[],
  most: number,
  mostOfOne = Number.POSITIVE_INFINITY,
): string[] {
  const cut = texts.map((text) => text.slice(0, mostOfOne));
  const sizes = cut.map(toSize);
  const shortestFirst = [...texts.keys()].sort((one, other) => sizes[one]! - sizes[other]!);
  let left = Math.max(0, most);
  for (const [index, at] of shortestFirst.entries()) {
    const share = Math.floor(left / (texts.length - index));
    left -= Math.min(share, sizes[at]!);
    if (sizes[at]! > share) cut[at] = cutToSize(cut[at]!, share);
    if (cut[at]!.length < texts[at]!.length) cut[at] = `${wellFormed(cut[at]!)}${cutNote}`;
  }
  return cut;
}

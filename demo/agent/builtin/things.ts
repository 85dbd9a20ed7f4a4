/** What a site has of a kind, by the headings of its pages: "Tents › Skylark 2 tent". */

import { toStems } from '../retrieval/words.ts';
import type { Question } from './question.ts';

const mostThings = 8;
/** What is sold, what is compared, and what is recommended. */
const group = new RegExp(
  [
    String.raw`^\W*(?:what|which) (?:kinds? of |types? of )?([\w -]{3,30}?) (?:do you (?:sell|have|offer|carry|stock)|are there|can i buy)\b.*$`,
    String.raw`^\W*(?:(?:so|and|hi|hello),? )?(?:do (?:you|u|they) (?:sell|have|offer|carry|stock|do)|have you got|(?:you|u) got)(?: any| some)? ([\w -]{3,30}?)\W*$`,
    String.raw`\b(?:differences? between|compare) (?:(?:the|your|both|two|three|all) )*([\w -]{3,30}?)\W*$`,
    String.raw`^\W*(?:what is|what['’]?s|which is|recommend|can you recommend|which) (?:me )?(?:(?:the|a|an|your) )*(?:best )?([\w -]{3,30}?)(?: (?:do you recommend|should i (?:buy|get|choose|take)|is (?:the )?best))?\W*$`,
  ].join('|'),
  'i',
);

const other = /\bthe other(?: (?:one|kind|model|type))?\b/i;

/** "What tents do you sell", "the two tents": with the names of the things under that heading. */
export function nameThings(text: string, names: readonly string[]): string {
  const [, sold, had, compared, wanted] = group.exec(text) ?? [];
  const said = toStems(sold ?? had ?? compared ?? wanted ?? text);
  const isMeant = (kind: string) => {
    const own = toStems(kind);
    return own.size === said.size && [...own].every((stem) => said.has(stem));
  };
  const things = [...readKinds(names)].flatMap(([kind, all]) => (isMeant(kind) ? all : []));
  if (things.length < 2 || things.length > mostThings) return text;
  return `compare ${(compared ?? wanted) ? '' : 'the price of '}${things.join(' and ')}`;
}

/** "Skylark 2 tent (T-201S)" is a kind of its own beside "Skylark 2 tent", and not meant where nobody says so. */
export function withoutLonger<T>(all: readonly T[], toName: (one: T) => string, { terms }: Question): T[] {
  const isSaid = (stem: string) => terms.some((term) => term.share === 1 && term.stem === stem);
  const isLonger = (one: Set<string>, other: Set<string>) =>
    other.size > 0 &&
    one.size > other.size &&
    [...other].every((stem) => one.has(stem)) &&
    ![...one].some((stem) => !other.has(stem) && isSaid(stem));
  const named = all.map((one) => ({ one, stems: toStems(toName(one)) }));
  return named
    .filter(({ stems }) => !named.some((other) => isLonger(stems, other.stems)))
    .map(({ one }) => one);
}

/** "And the other one?": of two things of a kind, the one that was not spoken of. */
export function nameOther(text: string, before: string | undefined, names: readonly string[]): string {
  if (before === undefined || !other.test(text)) return text;
  const said = toStems(before);
  for (const [one = '', two = '', ...more] of readKinds(names).values()) {
    if (more.length > 0 || two === '') continue;
    const isSaid = (thing: string, beside: string) => {
      const shared = toStems(beside);
      return [...toStems(thing)].some((stem) => !shared.has(stem) && said.has(stem));
    };
    if (isSaid(one, two) !== isSaid(two, one)) return text.replace(other, isSaid(one, two) ? two : one);
  }
  return text;
}

/** The things under each heading: of "Tents › Skylark 2 tent" the second, by the first. */
function readKinds(names: readonly string[]): Map<string, string[]> {
  const kinds = new Map<string, string[]>();
  for (const name of names) {
    const [kind = '', thing, ...deeper] = name.split(' › ');
    if (thing !== undefined && deeper.length === 0) kinds.set(kind, [...(kinds.get(kind) ?? []), thing]);
  }
  return kinds;
}

/** What a visitor's answer to "Which of these do you mean?" chooses, however it is put. */

import { toStems, toWords } from '../retrieval/words.ts';

const ordinals: readonly RegExp[] = [
  /^(1|1st|a|one|first|former)$/,
  /^(2|2nd|b|two|second|latter)$/,
  /^(3|3rd|c|three|third)$/,
  /^(4|4th|d|four|fourth)$/,
];
const more = /^(big|bigger|biggest|large|larger|largest|long|longer|longest|high|higher|highest|most|more)$/;
const less = /^(small|smaller|smallest|little|short|shorter|shortest|low|lower|lowest|least|less)$/;
const every = /^(all|both|each|every|either|any)$/;
/** Words that go along with a choice and make none. */
const fillers = new Set('the i mean want that this it please pls option number in of them with'.split(' '));

/** @returns the option that is meant; the answer as it stands where it is about none of them alone */
export function toChosen(answer: string, options: readonly string[]): string {
  const known = options.find((option) => option.toLowerCase() === answer.trim().toLowerCase());
  if (known !== undefined) return known;
  const words = toWords(answer).filter((word) => !fillers.has(word));
  // "The big one": the last word is no number here.
  const said = words.length > 1 ? words.filter((word) => word !== 'one' && word !== 'ones') : words;
  const [word = ''] = said;
  if (said.length === 1) {
    if (every.test(word)) return options.join(' ');
    if (word === 'last') return options.at(-1) ?? answer;
    const at = ordinals.findIndex((ordinal) => ordinal.test(word));
    if (at >= 0) return options[at] ?? answer;
    const sized = options.map((option) => ({ option, size: Number(/\d+(\.\d+)?/.exec(option)?.[0]) }));
    if ((more.test(word) || less.test(word)) && sized.every(({ size }) => !Number.isNaN(size))) {
      sized.sort((one, other) => one.size - other.size);
      return (more.test(word) ? sized.at(-1) : sized[0])?.option ?? answer;
    }
  }
  const stems = toStems(said.join(' '));
  const named = options.filter((option) => [...toStems(option)].some((stem) => stems.has(stem)));
  return named.length === 1 ? named[0]! : said.join(' ');
}

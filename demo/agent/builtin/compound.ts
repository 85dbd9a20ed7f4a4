/** Two questions in one: "How much is the Skylark 2, and how heavy is it?" */

import type { Said } from './say.ts';

const asks = String.raw`(?:how|what|when|until when|where|which|who|can|could|may|do|does|is|are|will)\b`;
const both = new RegExp(String.raw`^(\W*${asks}.{4,}?),? and (${asks}.{4,})$`, 'i');
/** "What is the price and weight of it?" */
const bothOf = /^(\W*(?:what|tell me)\b.*?\bthe )([\w-]+) and (?:the )?([\w-]+) (of .+)$/i;
/** "How tall and how wide is it?" */
const bothHow = /^(\W*how [\w-]+) and (how [\w-]+) ((?:is|are|does|do|can|will)\b.+)$/i;
const pronoun = /\b(?:it|they|that|this one)\b/i;
const minWords = 3;

/** @returns both, the second as it is asked after the first; undefined: it is one question */
export function splitQuestion(text: string): [first: string, second: string] | undefined {
  const [, how, otherHow, rest] = bothHow.exec(text) ?? [];
  if (how && otherHow && rest) return [`${how} ${rest}`, `${otherHow} ${rest}`];
  const [, start, one, other, of] = bothOf.exec(text) ?? [];
  if (start && one && other && of) return [`${start}${one} ${of}`, `${start}${other} ${of}`];
  const [, first, second] = both.exec(text) ?? [];
  if (!first || !second || countWords(first) < minWords || countWords(second) < minWords) return undefined;
  return [`${first}?`, second];
}

/** "Which tent is the lightest, and what does it cost?": "it" is what the first answer names. */
export function nameIt(second: string, answer: string): string {
  const [, thing] = /^The [\w-]+ is \*\*(.+?)\*\*/.exec(answer) ?? [];
  return thing ? second.replace(pronoun, `the ${thing}`) : second;
}

/** One answer of two, each page with one number. */
export function joinSaid(one: Said, other: Said): Said {
  const sources = [...one.sources];
  const numbers = new Map<number, number>();
  for (const source of other.sources) {
    const key = source.url ?? source.source_id;
    let known = sources.find((each) => (each.url ?? each.source_id) === key);
    if (!known) {
      known = { ...source, citation_number: sources.length + 1 };
      sources.push(known);
    }
    numbers.set(source.citation_number, known.citation_number);
  }
  const text = other.text.replace(/(?<!\\)\[(\d+)\]/g, (_, at) => `[${numbers.get(Number(at)) ?? at}]`);
  const blocks = one.text.split('\n\n');
  const more = text.split('\n\n').filter((block) => !blocks.includes(block));
  return { text: [...blocks, ...more].join('\n\n'), sources };
}

const countWords = (text: string) => text.trim().split(/\s+/).length;

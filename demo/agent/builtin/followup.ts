/** A question about what a tool has just told: "when will it arrive?" after an order was looked up. */

import { toStem, toWords } from '../retrieval/words.ts';

interface Told {
  /** "**LF-10234** is **shipped**." */
  opening: string;
  fields: { label: string; line: string }[];
}

const maxWords = 9;
const maxBareWords = 3;
const pointsBack = /\b(it|its|they|them|that|this|those|my (order|package|parcel|delivery))\b/i;

/** What is asked by other words than those of the field; of several the first that is asked. */
const wordings: readonly { asked: RegExp; label: RegExp }[] = [
  {
    asked: /\b(when|what (day|time)|how (long|soon))\b.*\b(placed?|ordered|bought|buy)\b/i,
    label: /placed|ordered/i,
  },
  {
    asked:
      /\b(when|what (day|date|time)|how (long|soon))\b.*\b(arrives?|come|coming|get|here|deliver\w*|expect\w*|due|ship\w*|back|be)\b|^\W*(and )?when\W*$|\beta\b/i,
    label: /expected|arriv|deliver|due|restock/i,
  },
  {
    asked: /\bwho\b.*\b(deliver|bring|ship|carr)|\bwhich (carrier|courier|company)\b|\bcourier\b/i,
    label: /carrier|courier/i,
  },
  { asked: /\btrack/i, label: /track/i },
  {
    asked: /\bwhat['’]?s?\b.*\b(in (it|there|that)|items|did i (order|buy|get))\b/i,
    label: /items|contents/i,
  },
];
const asksForAll = /\bwhere\b|\bstatus\b|\bupdate\b/i;

/** @returns the answer, where the last reply was a tool's result and this asks for a part of it */
export function readFollowUp(question: string, lastReply: string | undefined): string | undefined {
  const told = readTold(lastReply ?? '');
  const words = toWords(question);
  if (!told || words.length > maxWords) return undefined;
  if (!pointsBack.test(question) && words.length > maxBareWords) return undefined;
  const wording = wordings.find(({ asked }) => asked.test(question));
  const stems = new Set(words.map(toStem));
  const found = told.fields.filter(({ label }) =>
    wording ? wording.label.test(label) : toWords(label).some((word) => stems.has(toStem(word))),
  );
  if (found.length > 0) return [told.opening, found.map(({ line }) => line).join('\n')].join('\n\n');
  if (wording) return `${told.opening} What I looked up says no more about that.`;
  return asksForAll.test(question) ? lastReply : undefined;
}

function readTold(reply: string): Told | undefined {
  const [opening = '', ...lines] = reply.split('\n').filter((line) => line !== '');
  const fields = lines.map((line) => ({ label: /^- ([^:]+): \S/.exec(line)?.[1] ?? '', line }));
  if (!/^\*\*[^*]+\*\*.*(\*\*\.|in stock\.|\*\*)$/.test(opening)) return undefined;
  return fields.length > 0 && fields.every(({ label }) => label !== '') ? { opening, fields } : undefined;
}

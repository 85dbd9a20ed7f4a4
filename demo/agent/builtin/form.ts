/** The form of a question: what is to be done, may be done, compared or explained, and what is asked for by name. */

export type Form = 'how-to' | 'may' | 'compare' | 'meaning' | 'plain';
export type Extreme = { most: boolean; word: string };

/** "Which brand …", "is there a crèche", "do you do cremations". */
export function isAskedFor(word: string, text: string): boolean {
  const before = String.raw`\b(which|what|what (kind|sort|type)s? of|is there|are there|do you (have|sell|do|offer|make|run|take|treat|stock|provide|know)|can i (rent|hire|buy|get|have)|how many|(any|some)(one|body) who (does|do|is|can))`;
  const verb = String.raw`\b(can|could|may|do|does|will|would) (i|you|we|they|my \w+)`;
  if (new RegExp(`${verb} ${word}\\b`, 'i').test(text)) return true;
  return new RegExp(`${before}( an?| any| the| your| some)?( [\\w-]+)? ${word}\\b`, 'i').test(text);
}

/** "How do I wash …", "where should I keep …": what is to be done. */
export function isDone(word: string, text: string, isWeak: boolean): boolean {
  const asked = isWeak ? 'where' : 'how|where';
  const verb = '(?:do|can|should|would|could|must|to)(?: i| we| you)?(?: best)?';
  return new RegExp(String.raw`\b(?:${asked}) ${verb} ${word}\b`, 'i').test(text);
}

export function readForm(text: string): Form {
  if (/\b(what (does|do|is)\b.*\bmean(s|t)?\b|meaning of\b)/i.test(text)) return 'meaning';
  if (/\b(compare|comparison|difference|differ|versus|vs\.?)\b/i.test(text)) return 'compare';
  if (
    /\b(than|less|more)\b.*\bor\b|\b\w+er\b.*\b(or|than)\b|\bwhich (one|of them|of the two|of those)\b.*\b\w+er\b/i.test(
      text,
    )
  )
    return 'compare';
  if (
    /\b(how (do|can|to|should|would|could|must)|steps?\b|what (should|shall|must|do) i do|what now)\b/i.test(
      text,
    )
  )
    return 'how-to';
  if (
    /^(\W|and |but |so |hi |hello |please )*(can|could|may|might|should|shall|is it|am i|are|would it)\b|\b(safe|ok|okay|allowed|alright|dangerous) (to|if|for)\b|\b(can|may|should|shall) (i|we|my|he|she|it|you)\b(?!.*\b(where|when)\b)/i.test(
      text,
    ) &&
    !/^\W*(where|when|how|what|which|who|from|until|by)\b/i.test(text)
  )
    return 'may';
  return 'plain';
}

const comparative = /\b(cheap|light|small|short|cold|fast|quick|heavi|bigg|larg|tall|long|warm|slow)er\b/gi;
const extremes: readonly [RegExp, boolean][] = [
  [
    /\b(cheapest|lightest|smallest|shortest|lowest|coldest|fastest|quickest|least expensive|earliest|thinnest|narrowest)\b/i,
    false,
  ],
  [
    /\b(most expensive|dearest|heaviest|biggest|largest|tallest|longest|highest|warmest|slowest|latest|roomiest|priciest|widest)\b/i,
    true,
  ],
];

export function readExtreme(asked: string): Extreme | undefined {
  // "Which bag is warmer?" asks for the warmest of those there are.
  const text =
    /\bwhich\b/i.test(asked) && !/\b(than|or|one)\b/i.test(asked)
      ? asked.replace(comparative, '$1est')
      : asked;
  for (const [pattern, most] of extremes) {
    const word = pattern.exec(text)?.[0];
    if (word) return { most, word: word.toLowerCase() };
  }
  return undefined;
}

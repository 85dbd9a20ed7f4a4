/** Words to terms: lower case, stop words away, endings off, so that "shipped" meets "shipping". */

const stopWords = new Set(
  `a an and are as at be been but by can could did do does doing for from had has have how i if in into is it its
  just me my of on or our please so some such than that the their them then there these they this those to too
  us was we were what when where which who whom whose why will with would you your am about any also get got
  hi hello hey ok okay yes no not s t re ve ll d m shall should may might must let tell know want need like there's
  something anything everything someone anyone somewhere`
    .split(/\s+/)
    .filter(Boolean),
);

/** Said in many questions and telling little: they count, but alone they are no topic. */
const weakWords = new Set(
  `long take takes took much many cost costs price prices sell sells offer offers buy order orders use used using
  give find make good best work works work happen happens thing things one people kind type different
  available come comes say help time day days fast quick quickly soon store shop item items product products
  still ever really first new please possible number address`
    .split(/\s+/)
    .filter(Boolean),
);

/** Different words of shops for one matter; each stands for the others at a lower weight. */
const synonymGroups: readonly (readonly string[])[] = [
  ['shipping', 'delivery', 'postage', 'dispatch'],
  ['return', 'refund', 'exchange'],
  ['repair', 'fix', 'mend'],
  ['warranty', 'guarantee'],
  ['contact', 'phone', 'email', 'reach'],
  ['open', 'opening', 'hours'],
  ['pack', 'backpack', 'rucksack'],
  ['waterproof', 'waterproofing', 'rain'],
  ['broken', 'damaged', 'defective'],
  ['weigh', 'weight', 'heavy'],
  ['pay', 'payment', 'card'],
  ['clean', 'wash', 'care'],
];

export interface Term {
  /** As asked, for the full-text index, which has its own stemmer. */
  word: string;
  stem: string;
  weak: boolean;
  synonyms: string[];
}

export function toWords(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/['’]/g, '')
      .match(/[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu) ?? []
  );
}

/** The distinct terms of a question, without stop words. */
export function toTerms(text: string): Term[] {
  const terms = new Map<string, Term>();
  for (const word of toWords(text)) {
    if (stopWords.has(word)) continue;
    const stem = toStem(word);
    if (!terms.has(stem))
      terms.set(stem, { word, stem, weak: weakWords.has(word), synonyms: toSynonyms(word, stem) });
  }
  return [...terms.values()];
}

export function toStems(text: string): Set<string> {
  return new Set(toWords(text).map(toStem));
}

/** A light stemmer: right enough to compare two texts with each other, no dictionary form. */
export function toStem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  let stem = word
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x|z)es$/, '$1')
    .replace(/([^su])s$/, '$1');
  for (const ending of ['ments', 'ment', 'ing', 'ed', 'ly']) {
    if (
      stem.endsWith(ending) &&
      /[aeiouy]/.test(stem.slice(0, -ending.length)) &&
      stem.length - ending.length >= 3
    ) {
      stem = stem.slice(0, -ending.length);
      break;
    }
  }
  return stem.replace(/([^aeiouls])\1$/, '$1').replace(/[ey]$/, '');
}

const synonymsOf = new Map<string, readonly string[]>();
for (const group of synonymGroups) {
  for (const word of group) synonymsOf.set(toStem(word), group);
}

function toSynonyms(word: string, stem: string): string[] {
  return (synonymsOf.get(stem) ?? []).filter((other) => other !== word);
}

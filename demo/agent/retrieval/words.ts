/** Words of a text, and the stem by which two texts are compared: "shipped" meets "shipping", "bought" meets "buy". */

const irregular: Readonly<Record<string, string>> = Object.fromEntries(
  `bought buy|paid pay|sent send|sending send|broke break|broken break|left leave|leaving leave|kept keep|ate eat|eaten eat|wore wear|worn wear|tore tear|torn tear
  frozen freeze|feet foot|teeth tooth|mice mouse|children child|men man|women woman|lost lose|made make|making make|sold sell|told tell|went go
  came come|found find|held hold|slept sleep|fed feed|bitten bite|bit bite|gave give|given give|took take|taken take|chosen choose|chose choose
  leaves leaf|shelves shelf|knives knife|wives wife|lives life|puppies puppy|sewn sew|cost cost|dying die|died die|lying lie|wrote write|written write
  spoke speak|spoken speak|stole steal|stolen steal|threw throw|thrown throw|drank drink|began begin|won win|built build|caught catch|taught teach
  brought bring|felt feel|met meet|ran run|said say|saw see|seen see|stood stand|drove drive|driven drive|hid hide|knew know|known know|grew grow
  grown grow|shook shake|shone shine|flown fly|flew fly|swollen swell|bled bleed|fallen fall|fell fall|forgot forget|forgotten forget|using use|used use|cookies cookie`
    .split(/\||\n/)
    .map((pair) => pair.trim().split(' ')),
);

export function toWords(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/['’]s\b/g, '')
      .replace(/['’]/g, '')
      .match(/[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu) ?? []
  );
}

export function toStems(text: string): Set<string> {
  return new Set(toWords(text).map(toStem));
}

/** A light stemmer: right enough to compare two texts with each other, no dictionary form. */
export function toStem(word: string): string {
  const plain = Object.hasOwn(irregular, word) ? irregular[word]! : word;
  if (plain.length <= 3 || /\d/.test(plain)) return plain;
  let stem = plain
    .replace(/ies$/, 'y')
    .replace(/(ss|sh|ch|x|z)es$/, '$1')
    .replace(/([^su])s$/, '$1');
  for (const ending of ['ations', 'ation', 'able', 'ments', 'ment', 'ings', 'ing', 'ed', 'er', 'est', 'ly']) {
    if (
      stem.endsWith(ending) &&
      /[aeiouy]/.test(stem.slice(0, -ending.length)) &&
      stem.length - ending.length >= (ending === 'er' || ending === 'est' ? 4 : 3)
    ) {
      stem = stem.slice(0, -ending.length);
      break;
    }
  }
  return stem
    .replace(/([^aeiouls])\1$/, '$1')
    .replace(/([aeiou])ll$/, '$1l')
    .replace(/(.{4})at$/, '$1')
    .replace(/[ey]$/, '');
}

/** The language of a question, by its small words: enough to know that it is not English. */

import { isPlaceName } from '../retrieval/places.ts';

const smallWords: Readonly<Record<string, string>> = {
  en: 'the is are do does how what where when which can you your i my me to of for and it in on with have has was this that there any a an if not',
  es: 'el la los las de que cuanto cuánto cuesta como cómo donde dónde cuando cuándo es son puedo tienen hacen un una para por con mi su qué hay está se y o en a',
  fr: 'le la les des de du que combien coûte coute comment où ou quand est sont puis-je je vous avez un une pour par avec mon ma votre quel quelle y il et en à au',
  de: 'der die das den dem wie was wo wann welche ist sind kann ich sie haben ein eine für mit mein meine kostet wiegt viel und auf im zu nach es gibt auch',
  it: 'il lo la gli di che quanto costa come dove quando è sono posso avete un una per con mio quale e in a si',
  pt: 'o os as de que quanto custa como onde quando é são posso vocês tem um uma para por com meu minha qual e em',
  nl: 'de het een hoe wat waar wanneer welke is zijn kan ik u jullie heeft voor met mijn kost veel en op in naar er',
};
const sets = Object.entries(smallWords).map(
  ([language, words]) => [language, new Set(words.split(' '))] as const,
);

/** `en` when in doubt. */
export function readLanguage(text: string): string {
  if (/[¿¡]/.test(text)) return 'es';
  const letters = text.match(/\p{L}/gu) ?? [];
  if (letters.filter((letter) => !/\p{Script=Latin}/u.test(letter)).length * 2 > letters.length)
    return 'other';
  const words = text.toLowerCase().match(/[\p{L}’'-]+/gu) ?? [];
  const counts = sets.map(([language, set]) => ({
    language,
    count: words.filter((word) => set.has(word)).length,
  }));
  const english = counts.find(({ language }) => language === 'en')!.count;
  const best = counts.reduce((a, b) => (b.count > a.count ? b : a));
  return best.count >= 2 && best.count > english ? best.language : 'en';
}

/** What asks for a price or a weight in other languages: names and numbers do the rest. */
const asked: readonly [RegExp, string][] = [
  [
    /(?<!\p{L})(cu[aá]nto (cuesta|vale|es)|cu[aá]l es el precio|precio|combien co[uû]te(nt)?|quel est le prix|prix|was kostet|wie ?viel kostet|preis|quanto costa|prezzo|quanto custa|pre[cç]o|hoeveel kost|wat kost|prijs)(?!\p{L})/giu,
    'price',
  ],
  [
    /(?<!\p{L})(cu[aá]nto pesa|peso|combien p[eè]se(nt)?|poids|wie ?viel wiegt|was wiegt|wie schwer ist|gewicht|quanto pesa|hoeveel weegt|wat weegt)(?!\p{L})/giu,
    'weight',
  ],
];

/** The words of another language that the site's pages know as well, and what is asked of them in English. */
export function toEnglish(text: string, knows: (word: string) => boolean): string {
  let aspect = '';
  let rest = text;
  for (const [pattern, word] of asked)
    rest = rest.replace(pattern, () => {
      aspect = word;
      return ' ';
    });
  const small = new Set(sets.flatMap(([language, set]) => (language === 'en' ? [] : [...set])));
  const known = (rest.match(/[\p{L}\p{N}-]+/gu) ?? []).filter(
    (word) => !small.has(word.toLowerCase()) && knows(word),
  );
  const isLost = (rest.match(/[\p{L}-]+/gu) ?? []).some(
    (word) => word.length > 2 && !small.has(word.toLowerCase()) && !knows(word),
  );
  // "La livraison au Canada": of the place alone nothing was asked.
  if (isLost && known.every((word) => isPlaceName(word.toLowerCase()))) return '';
  return known.length === 0 ? '' : `${aspect} ${known.join(' ')}`;
}

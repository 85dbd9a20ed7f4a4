/** Names of countries and regions. */

import { toWords } from './words.ts';

const places = new Set<string>();
const regionNames = new Intl.DisplayNames('en', { type: 'region' });
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
for (const first of letters)
  for (const second of letters) {
    const name = regionNames.of(first + second);
    if (name && name !== first + second)
      for (const word of toWords(name))
        if (
          word.length > 3 &&
          !/^(and|south|north|island|islands|united|states|kingdom|republic|saint|unknown|region|outlying|territory|territories|french|southern|northern|british|virgin|central|part|city|land|coast|ivory|world|ocean|indian|new|american|heard|cook|isle|norfolk|christmas|guinea|equatorial|dutch|turkey|chad|jordan|niger|mali|cocos|keeling|pseudo|accents|bidi|ascension|reunion|european|union|outlying|us)$/.test(
            word,
          )
        )
          places.add(word);
  }
for (const word of toWords(
  'alaska hawaii guam usa britain america england scotland wales europe asia africa texas california florida australia brasil',
))
  places.add(word);

export function isPlaceName(word: string): boolean {
  return places.has(word);
}

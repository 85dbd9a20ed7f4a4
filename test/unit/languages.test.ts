/** The widget's languages: the same sentences, with the same places to fill in. */
import { expect, test } from 'vitest';
import { ar } from '../../widget/strings/ar.ts';
import { de } from '../../widget/strings/de.ts';
import { en, type StringKey } from '../../widget/strings/en.ts';
import { es } from '../../widget/strings/es.ts';
import { fr } from '../../widget/strings/fr.ts';

const readPlaces = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
/** Words that are the same in both. */
const shared = new Set(['Chat', 'Conversations', 'Conversation', 'Image']);

test.each([ar, de, es, fr].map((strings) => [strings.language, strings] as const))(
  '%s says each sentence, with what is filled in, in its own words',
  (language, strings) => {
    expect(Object.keys(strings)).toEqual(Object.keys(en));
    for (const key of Object.keys(en) as StringKey[]) {
      expect([key, readPlaces(strings[key])]).toEqual([key, readPlaces(en[key])]);
      if (strings[key] === en[key]) expect(shared, `${language} ${key}`).toContain(strings[key]);
    }
  },
);

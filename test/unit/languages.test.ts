/** The widget's languages: the same sentences, with the same places to fill in. */
import { expect, test } from 'vitest';
import { ar } from '../../widget/strings/ar.ts';
import { de } from '../../widget/strings/de.ts';
import type { StringKey } from '../../widget/strings/en.ts';
import { es } from '../../widget/strings/es.ts';
import { fr } from '../../widget/strings/fr.ts';
import { english } from '../support/english.ts';

const readPlaces = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
/** Words that are the same in both. */
const shared = new Set(['Chat', 'Conversations', 'Conversation', 'Image']);

test.each([ar, de, es, fr].map((strings) => [strings.language, strings] as const))(
  '%s says each sentence, with what is filled in, in its own words',
  (language, strings) => {
    expect(Object.keys(strings).sort()).toEqual(Object.keys(english).sort());
    for (const key of Object.keys(english) as StringKey[]) {
      expect([key, readPlaces(strings[key])]).toEqual([key, readPlaces(english[key])]);
      if (strings[key] === english[key]) expect(shared, `${language} ${key}`).toContain(strings[key]);
    }
  },
);

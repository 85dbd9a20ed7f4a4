/** The languages that the widget speaks, each a file of its own. */
import type { Signal } from '@preact/signals';
import type { Strings } from './strings/en.ts';

const languages: Readonly<Record<string, () => Promise<Strings>>> = {
  de: async () => (await import('./strings/de.ts')).de,
  fr: async () => (await import('./strings/fr.ts')).fr,
  es: async () => (await import('./strings/es.ts')).es,
  ar: async () => (await import('./strings/ar.ts')).ar,
};

const rightToLeft = ['ar', 'dv', 'fa', 'he', 'ps', 'ur', 'yi'];

/** `de-AT` to `de`. */
const toName = (tag: string) => tag.toLowerCase().split(/[-_]/, 1)[0] as string;

/**
 * @param strings in English at first
 * @param own what the site says in its own words, in any language
 */
export function createLanguage(element: HTMLElement, strings: Signal<Strings>, own: Partial<Strings>) {
  const english = strings.value;
  /** Behind its words all others, those too that come later with a part of the view. */
  const toOwn = (spoken: Strings): Strings =>
    Object.keys(own).length > 0 ? Object.assign(Object.create(spoken), own) : spoken;
  strings.value = toOwn(english);
  let latest: unknown;
  return {
    /**
     * Resolves once it is spoken. One that is not known is English.
     *
     * @param tag BCP 47: `de`, `de-AT`
     * @throws when its file cannot be loaded; then all stays as it is
     */
    async speak(tag: string): Promise<void> {
      latest = tag;
      const name = toName(tag);
      const spoken = Object.hasOwn(languages, name)
        ? await (languages[name] as () => Promise<Strings>)()
        : english;
      // Another one has been asked for since.
      if (latest !== tag) return;
      strings.value = toOwn(spoken);
      element.dir = rightToLeft.includes(toName(strings.value.language)) ? 'rtl' : 'ltr';
    },
    knows: (tag: string) => toName(tag) === 'en' || Object.hasOwn(languages, toName(tag)),
  };
}

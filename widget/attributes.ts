/** What the tag says in attributes of more than a word. Loaded with what needs it. */
import type { WidgetOptions } from './options.ts';
import type { Strings } from './strings/en.ts';

/** What the page's tag of this agent says of the page, by `data-metadata`: Turbo puts another's in its place. */
export function readMetadata({ botId }: WidgetOptions): string | undefined {
  const tags = [...document.querySelectorAll<HTMLScriptElement>('script[data-bot-id]')];
  const tag = tags.find(({ dataset }) => dataset.botId === botId);
  return tag && (tag.dataset.metadata ?? '');
}

/** BCP 47, by which days and numbers are written. */
function isTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
}

export function readWords(options: WidgetOptions): Partial<Strings> {
  const words = Object.entries(readJson('words', options) ?? {});
  // A name of no sentence is the index of a list.
  const said = words.filter(
    ([name, text]) =>
      /^[a-z]/i.test(name) &&
      typeof text === 'string' &&
      text.trim() !== '' &&
      (name !== 'language' || isTag(text)),
  );
  if (said.length < words.length)
    console.error('Porchlight: data-words is an object of strings, and its language a tag such as pt-BR');
  return Object.fromEntries(said);
}

/** Undefined, with a line on the console, where it is none. */
export function readJson(
  name: 'greetings' | 'starters' | 'metadata' | 'words',
  options: WidgetOptions,
): unknown {
  try {
    return JSON.parse(options[name] || 'null');
  } catch {
    console.error(`Porchlight: data-${name} is not JSON`);
    return undefined;
  }
}

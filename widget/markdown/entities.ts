/** Character references of HTML in text: numeric ones, and named ones, of which the rarer are loaded when first met. */
import { signal } from '@preact/signals';

const named = signal(
  new Map([
    ['amp', '&'],
    ['lt', '<'],
    ['gt', '>'],
    ['quot', '"'],
    ['apos', "'"],
    ['nbsp', '\u00a0'],
  ]),
);
let loading: Promise<void> | undefined;

/** What was drawn before is drawn anew; where the file is missing, a name stays as it was written. */
export function loadNames(): Promise<void> {
  loading ??= import('./names.ts').then(
    ({ readNames }) => {
      named.value = new Map([...named.value, ...readNames()]);
    },
    () => {},
  );
  return loading;
}

const reference = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,31}));/g;

/** `&amp;` → `&`. A name that is not known stays as it is. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(reference, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) {
      const known = named.value.get(name);
      if (known === undefined) void loadNames();
      return known ?? whole;
    }
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? '', 16);
    // U+0000 and what is no character are replaced (CommonMark 2.5).
    const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return valid ? String.fromCodePoint(code) : '\ufffd';
  });
}

/** What was typed in fields that give way to others, for when they come back. */

import { useRef } from 'preact/hooks';

export interface Kept {
  /** Of all that stands in the form. */
  keep(form: HTMLFormElement | null, of?: string): void;
  /** undefined: nothing was typed there */
  text(name: string, of?: string): string | undefined;
}

export function useKept(): Kept {
  const texts = useRef(new Map<string, string>()).current;
  return {
    keep(form, of = '') {
      if (!form) return;
      new FormData(form).forEach((value, name) => {
        texts.set(`${of} ${name}`, String(value));
      });
    },
    text: (name, of = '') => texts.get(`${of} ${name}`),
  };
}

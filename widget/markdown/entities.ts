/** Character references in text, such as `&amp;`: few answers have any, so what reads them is loaded with the first. */
import { signal } from '@preact/signals';

type Read = (body: string) => string | undefined;

/** Changes once: what was drawn before is drawn anew. */
export const references = signal<Read | undefined>(undefined);
let loading: Promise<void> | undefined;

/** Where the file is missing, a reference stays as it was written. */
export function loadReferences(): Promise<void> {
  loading ??= import('./references.ts').then(
    (module) => {
      references.value = module.readReference;
    },
    () => {},
  );
  return loading;
}

/** `&amp;` → `&`. A name that is not known stays as it is. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][a-zA-Z\d]{1,31});/g,
    (whole, body: string) => {
      void loadReferences();
      return references.peek()?.(body) ?? whole;
    },
  );
}

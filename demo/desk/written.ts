/** What was written on the desk and not sent yet: nobody loses it unasked. */

import { createContext } from 'preact';

const forms = new Set<symbol>();

export function noteWritten(form: symbol, isWritten: boolean) {
  if (isWritten) forms.add(form);
  else forms.delete(form);
}

export const isAnyWritten = () => forms.size > 0;

/** Before one goes to another area or agent. */
export function mayLeave(): boolean {
  return forms.size === 0 || confirm('Throw away what is written here and not saved?');
}

/** Tells the panel around a form. */
export const WrittenInPanel = createContext<(isWritten: boolean) => void>(() => {});

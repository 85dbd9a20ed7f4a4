/** Fields that may be there more than once: added, taken away, and read again from what a form gives. */

import { useState } from 'preact/hooks';
import type { Answer } from './api.ts';

/** @returns how a field of one of them is called in the form */
export type At = (field: string) => string;

interface SeveralProps {
  title: string;
  name: string;
  add: string;
  noun: string;
  before: readonly Answer[];
  fresh: Answer;
  least?: number;
  children(one: Answer, at: At): preact.ComponentChildren;
}

export function Several({ title, name, add, noun, before, fresh, least = 0, children }: SeveralProps) {
  const [ones, setOnes] = useState<readonly [number, Answer][]>(() => before.map((one, id) => [id, one]));
  return (
    <fieldset>
      <legend>{title}</legend>
      {ones.map(([id, one], index) => (
        <fieldset key={id} aria-label={`${noun} ${index + 1}`}>
          {children(one, (field) => `${name} ${id} ${field}`)}
          {ones.length > least && (
            <button
              type="button"
              aria-label={`Take away ${noun} ${index + 1}`}
              onClick={(event) => {
                (
                  event.currentTarget.closest('fieldset')!.parentElement!.lastElementChild as HTMLElement
                ).focus();
                setOnes(ones.filter(([other]) => other !== id));
              }}
            >
              Take away
            </button>
          )}
        </fieldset>
      ))}
      <button
        type="button"
        onClick={() => setOnes([...ones, [1 + Math.max(-1, ...ones.map(([id]) => id)), fresh]])}
      >
        {add}
      </button>
    </fieldset>
  );
}

/** One record for each. */
export function readSeveral(fields: Record<string, string>, name: string): Record<string, string>[] {
  const found = new Map<string, Record<string, string>>();
  for (const [key, value] of Object.entries(fields)) {
    const [of, id, field] = key.split(' ') as [string, string, string];
    if (of === name && field) found.set(id, { ...found.get(id), [field]: value });
  }
  return [...found.values()];
}

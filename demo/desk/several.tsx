/** Fields that may be there more than once: added, taken away, and read again from what a form gives. */

import { useRef, useState } from 'preact/hooks';
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

/** A form hears of what is typed, and of this. */
const tellForm = (button: HTMLElement) => button.dispatchEvent(new Event('input', { bubbles: true }));

export function Several({ title, name, add, noun, before, fresh, least = 0, children }: SeveralProps) {
  const [ones, setOnes] = useState<readonly [number, Answer][]>(() => before.map((one, id) => [id, one]));
  const nextId = useRef(before.length);
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
                tellForm(event.currentTarget);
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
        onClick={(event) => {
          tellForm(event.currentTarget);
          setOnes([...ones, [nextId.current++, fresh]]);
        }}
      >
        {add}
      </button>
    </fieldset>
  );
}

/** One record for each, with what it was made of, if it was there before. */
export function readSeveral(
  fields: Record<string, string>,
  name: string,
  before: readonly Answer[],
): [raw: Record<string, string>, before: Answer | undefined][] {
  const found = new Map<string, Record<string, string>>();
  for (const [key, value] of Object.entries(fields)) {
    const [of, id, field] = key.split(' ') as [string, string, string];
    if (of === name && field) found.set(id, { ...found.get(id), [field]: value });
  }
  return [...found].map(([id, raw]) => [raw, before[Number(id)]]);
}

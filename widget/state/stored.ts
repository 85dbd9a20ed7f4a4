/** What is read of the browser's storage: whatever somebody wrote there, only what has the right shape is taken. */
import type { PendingQuestion, Place, Stored } from './memory.ts';

export function toFilled(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined && one !== false));
}

export function readStored(text: string | null): Stored {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '{}');
  } catch {}
  const stored: Stored = take(value, { who: 'string', said: 'number', tag: 'boolean', chats: 'object' });
  const chats = Object.entries(toObject(stored.chats)).map(([name, place]) => [name, toObject(place)]);
  return { ...stored, chats: Object.fromEntries(chats) };
}

export function readPlace(value: unknown): Place {
  const text = 'string';
  const texts = {
    subject: text,
    session: text,
    was: text,
    conversationId: text,
    deciding: text,
    draft: text,
    mode: text,
  };
  const others = { open: 'boolean', wide: 'boolean', pending: 'object', leaving: 'object' };
  const place: Place = take(value, { ...texts, ...others });
  const isQuestion = (one: unknown) =>
    typeof (one as PendingQuestion)?.turnId === text &&
    typeof (one as PendingQuestion).question?.text === text;
  if (!isQuestion(place.pending)) delete place.pending;
  if (!Array.isArray(place.leaving) || !place.leaving.every(isQuestion)) delete place.leaving;
  return place;
}

function take(value: unknown, types: Record<string, string>): object {
  return Object.fromEntries(
    Object.entries(toObject(value)).filter(([name, one]) => typeof one === types[name]),
  );
}

function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

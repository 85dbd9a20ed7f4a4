/** What the page gives to say who is there: a token, or nothing. */
import type { UserToken } from '../public.ts';
import type { Source } from '../state/happening.ts';
import { toSubject, untilFresh } from '../state/subject.ts';

/** A page's function that has not answered by then is out of reach. */
const answerMs = 10_000;

/** Asks the page's function. @throws what it throws, or that it took too long */
export async function askPage(ask: Exclude<UserToken, string>): Promise<string | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer in ${answerMs / 1000} s`)), answerMs);
  });
  try {
    return readToken(await Promise.race([untilFresh().then(ask), late]));
  } finally {
    clearTimeout(timer);
  }
}

/** null and '' are what backends give for nobody; anything else that is no string is told, and nobody too. */
export function readToken(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  if (value !== undefined && value !== null && value !== '')
    console.error(`Porchlight: a user token is a string, not ${typeof value}.`);
  return undefined;
}

/** What the page says by it. */
export function toSource(userToken: unknown): Source {
  if (typeof userToken === 'function') return { kind: 'callback' };
  const token = readToken(userToken);
  return token === undefined ? { kind: 'nobody' } : { kind: 'token', token, subject: toSubject(token) };
}

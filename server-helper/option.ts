/** Reads the value of one option, or throws a `TypeError` that names the option and what was expected, never the value. */

import { isLine, toLineFault } from './auth/claims.ts';
import { splitSecrets } from './auth/secrets.ts';
import { isUuid } from './protocol/wire.ts';

export function toWrong(name: string, expected: string): TypeError {
  return new TypeError(`${name} must be ${expected}`);
}

/** What can travel in a header and in a URL as it is: printable ASCII without a space. */
export function readPrintable(name: string, value: unknown, mostChars = 4_000): string {
  if (value === undefined || value === '') throw new TypeError(`${name} is missing`);
  if (typeof value !== 'string' || value.length > mostChars || !/^[\x21-\x7e]+$/.test(value))
    throw toWrong(
      name,
      `at most ${mostChars} characters of printable ASCII, without a space or a line break`,
    );
  return value;
}

/** Text that is compared as it stands: what surrounds it by mistake would make it another one. */
function readText(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.trim() !== value || /\p{Cc}/u.test(value))
    throw toWrong(name, 'a string without space around it and without a line break');
  return value;
}

/** What a token may say. */
export function readLine(name: string, value: unknown): string {
  if (!isLine(value)) throw new TypeError(toLineFault(name));
  return value;
}

export function readOneOf<T extends string>(
  name: string,
  value: unknown,
  allowed: readonly T[],
  fallback: T,
): T {
  if (value === undefined) return fallback;
  if (!allowed.includes(value as T)) throw toWrong(name, toChoice(allowed));
  return value as T;
}

/** @returns each one once */
export function readSomeOf<T extends string>(
  name: string,
  value: unknown,
  allowed: readonly T[],
  fallback: readonly T[],
): readonly T[] {
  if (value === undefined) return fallback;
  if (!Array.isArray(value) || value.length === 0 || value.some((one) => !allowed.includes(one)))
    throw toWrong(name, `a list of some of ${toChoice(allowed)}`);
  return [...new Set(value as T[])];
}

export function readWhole(name: string, value: unknown, least: number, most: number, absent = least): number {
  if (value === undefined) return absent;
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
    throw toWrong(name, `a whole number from ${least} to ${most}`);
  return value as number;
}

const mostSecrets = 10;

/** @returns none where the option is absent */
export function readSecrets(name: string, value: unknown, minBytes: number): string[] {
  if (value === undefined) return [];
  const one = typeof value === 'string' ? splitSecrets(value) : [value];
  const secrets: unknown[] = Array.isArray(value) ? value : one;
  if (secrets.length === 0) throw toWrong(name, 'left out, or at least one secret');
  // A forged token is tried with each.
  if (secrets.length > mostSecrets) throw toWrong(name, `at most ${mostSecrets} secrets`);
  return secrets.map((one) => {
    const secret = readText(name, one);
    if (new TextEncoder().encode(secret).length < minBytes)
      throw new TypeError(
        `${name} must have at least ${minBytes} bytes; make one with: openssl rand -hex 32`,
      );
    // One character over and over is long and still guessed at once.
    if (minBytes > 1 && new Set(secret).size < 5) throw new TypeError(`${name} is too easy to guess`);
    return secret;
  });
}

export function readAgentUrl(name: string, value: unknown): URL {
  if (value === undefined || value === '') throw new TypeError(`${name} is missing`);
  const url = toUrl(value);
  if (!url) throw toWrong(name, 'an absolute URL such as https://agent.example');
  const isHere = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  // The key travels with every call.
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere))
    throw toWrong(name, 'https; http is for an agent on this machine alone');
  if (url.username || url.password || /[?#]/.test(String(value)))
    throw toWrong(name, 'without user, query and fragment');
  if (url.port === '0' || /\/\/|%(?![\da-f]{2})/i.test(url.pathname))
    throw toWrong(name, 'an address that can be called: no port 0, no empty or broken part of its path');
  if (/\/v1(\/|$)/i.test(url.pathname)) throw toWrong(name, 'the base URL, without /v1');
  return url;
}

/** @returns undefined where the option is absent: the helper's own origin alone */
export function readOrigins(name: string, value: unknown): ReadonlySet<string> | undefined {
  if (value === undefined) return undefined;
  const isExact = (one: unknown) => {
    const url = toUrl(one);
    return url !== undefined && url.origin === one && /^https?:\/\/[^*]+$/.test(one);
  };
  if (!Array.isArray(value) || value.length === 0 || !value.every(isExact))
    throw toWrong(
      name,
      'a list of exact origins such as https://shop.example: lower case, without path, wildcard or default port',
    );
  return new Set(value as string[]);
}

/** The URL parser forgives spaces and line breaks; here they are somebody's mistake. */
function toUrl(value: unknown): URL | undefined {
  if (typeof value !== 'string' || /[\s\p{Cc}]/u.test(value)) return undefined;
  return URL.canParse(value) ? new URL(value) : undefined;
}

/** @returns `''` for the root */
export function readBasePath(name: string, value: unknown): string {
  if (value === undefined) return '/porchlight';
  if (value === '' || value === '/') return '';
  if (typeof value !== 'string' || !/^(\/(?!\.{1,2}(\/|$))[\w.~-]+)+$/.test(value))
    throw toWrong(name, 'a path such as /porchlight, without a slash at its end');
  return value;
}

export function readWorkspace<F>(name: string, value: F | string | undefined): F | string {
  if (value === undefined) return 'conversation';
  if (typeof value !== 'function' && value !== 'conversation' && value !== 'visitor' && !isUuid(value))
    throw toWrong(name, 'conversation, visitor, the uuid of a workspace, or a function');
  return value;
}

export function readFunction<F>(name: string, value: F): F {
  if (value !== undefined && typeof value !== 'function') throw toWrong(name, 'a function');
  return value;
}

/** An object of which the helper calls these methods. */
export function readObject<T extends object>(
  name: string,
  value: T,
  methods: readonly (keyof T)[],
  expected: string,
): T {
  if (typeof value !== 'object' || value === null || methods.some((one) => typeof value[one] !== 'function'))
    throw toWrong(name, expected);
  return value;
}

function toChoice(allowed: readonly string[]): string {
  return `${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)}`;
}

const mostOfCounts = 10_000_000;

/** @returns the whole numbers from 1 that are given under some of `names`; undefined for `off` */
export function readCounts(
  name: string,
  value: unknown,
  names: readonly string[],
): Record<string, number> | undefined {
  if (value === undefined || value === 'on') return {};
  if (value === 'off') return undefined;
  const given = Object.entries(typeof value === 'object' ? (value ?? {}) : {}).filter(
    ([, count]) => count !== undefined,
  );
  const isSound = ([key, count]: [string, unknown]) =>
    names.includes(key) && Number.isInteger(count) && Number(count) >= 1 && Number(count) <= mostOfCounts;
  if (given.length === 0 || !given.every(isSound))
    throw toWrong(
      name,
      `on, off, or whole numbers from 1 to ${mostOfCounts} for some of ${names.join(', ')}`,
    );
  return Object.fromEntries(given);
}

/** `{{path}}` in the strings of an action, and the conditions of a run: read from its payload, never evaluated. */

import { AgentError } from '../errors.ts';
import { wellFormed } from '../text.ts';
import type { Condition, Operator } from './catalog.ts';

export type Payload = Readonly<Record<string, unknown>>;

/** Of all that one action says. */
const mostChars = 1_000_000;
const placeholder = /\{\{([^{}]{1,500})\}\}/g;

/** undefined where there is nothing; what an object inherits is nothing. */
export function readPath(payload: Payload, path: string): unknown {
  let value: unknown = payload;
  for (const name of path.trim().split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Payload)[name];
  }
  return value;
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const isInPathOrQuery = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*[/?#]/i;
const isInHost = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*$/i;
const hostPart = /^\w[\w.-]*(:\d{1,5})?$/;
const dotSegment = /^(\.|%2e){1,2}$/i;
const countClimbs = (url: string) =>
  url
    .split(/[?#]/)[0]!
    .split(/[/\\]/)
    .filter((one) => dotSegment.test(one)).length;

/** Fills in one action, whose texts together have a bound. Throws 400 `too_large`. */
export function createFiller(payload: Payload) {
  let left = mostChars;
  /** @param encode of each value, by what is said before it */
  const fill = (template: string, encode: (text: string, before: string) => string = (text) => text) => {
    let said = '';
    let from = 0;
    for (const { 0: whole, 1: path, index } of template.matchAll(placeholder)) {
      said += template.slice(from, index);
      const text = encode(toText(readPath(payload, path!)), said);
      left -= text.length;
      if (left < 0) throw new AgentError(400, 'too_large', 'What it says is too long.');
      said += text;
      from = index + whole.length;
    }
    return said + template.slice(from);
  };

  /** Of a body, the strings in it. */
  const fillAll = (template: unknown): unknown => {
    if (typeof template === 'string') return fill(template);
    if (Array.isArray(template)) return template.map(fillAll);
    if (typeof template !== 'object' || template === null) return template;
    return Object.fromEntries(Object.entries(template).map(([name, one]) => [name, fillAll(one)]));
  };

  return {
    text: (template: string) => fill(template),
    all: fillAll,
    /** Percent-encoded in path and query. 400 `address_not_allowed` where a value would lead to another host or path. */
    url(template: string): string {
      // What begins otherwise is read otherwise by browsers and by this.
      if (!/^(https?:\/\/[^/\\]|\{\{)/i.test(template))
        throw new AgentError(400, 'invalid_url', 'An http or https address is needed.');
      const url = fill(template, (text, before) => {
        if (isInPathOrQuery.test(before)) return encodeURIComponent(wellFormed(text));
        if (!isInHost.test(before) || hostPart.test(text)) return text;
        throw new AgentError(400, 'address_not_allowed', 'A value would lead to another host.');
      });
      if (!URL.canParse(url)) throw new AgentError(400, 'invalid_url', 'This is no address.');
      if (countClimbs(url) > countClimbs(template.replace(placeholder, 'x')))
        throw new AgentError(400, 'address_not_allowed', 'A value would lead to another path.');
      return url;
    },
  };
}
export type Filler = ReturnType<typeof createFiller>;

const tests: Readonly<Record<Operator, (found: unknown, value: unknown) => boolean>> = {
  equals: isSame,
  not_equals: (found, value) => !isSame(found, value),
  contains(found, value) {
    const wanted = toText(value);
    if (!Array.isArray(found)) return typeof found === 'string' && found.includes(wanted);
    return found.some((one) => (one === null || one === undefined ? value === null : toText(one) === wanted));
  },
  exists: (found, value) => (found !== undefined && found !== null) === (String(value) !== 'false'),
  greater_than: (found, value) => toNumber(found) > toNumber(value),
  less_than: (found, value) => toNumber(found) < toNumber(value),
};

/** All of them. A field that is missing equals nothing. */
export function holds(conditions: readonly Condition[], payload: Payload): boolean {
  return conditions.every(({ field, operator, value }) => tests[operator](readPath(payload, field), value));
}

/** `5` and `"5"` are the same: a form knows texts only. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === undefined || a === null) return b === null && a !== undefined;
  if (b === undefined || b === null) return false;
  return toText(a) === toText(b);
}

/** NaN is neither more nor less. */
function toNumber(value: unknown): number {
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
    ? Number(value)
    : Number.NaN;
}

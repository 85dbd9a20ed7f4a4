/** What a tool server says, as it is taken: data, within bounds, and nothing of what it was sent. */

import * as v from 'valibot';
import { wellFormed } from '../text.ts';
import { maxReplyBytes, ReplyTooLarge, type ToolOutcome } from '../tools.ts';
import type { ServerPlace } from './connection.ts';

/** As the server says it. */
export interface OfferedTool {
  name: string;
  title: string;
  description: string;
  /** JSON Schema of an object. */
  schema: Record<string, unknown>;
  isReadOnly: boolean;
}

/** Shorter ones are words that occur by themselves. */
const leastSecretChars = 8;
/** Of more, the longest. */
const mostSecrets = 200;
const secretHeader = /auth|key|token|secret|cookie|pass|pwd|session|credential|sign|jwt|access|bearer/i;
const [maxNameChars, maxDescriptionChars, maxSchemaChars] = [128, 2_000, 16_000];

const tool = v.object({
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(maxNameChars)),
  title: v.optional(v.string()),
  description: v.optional(v.string(), ''),
  inputSchema: v.looseObject({
    type: v.literal('object'),
    properties: v.optional(v.record(v.string(), v.unknown())),
  }),
  annotations: v.optional(
    v.object({ title: v.optional(v.string()), readOnlyHint: v.optional(v.boolean()) }),
    {},
  ),
});

/** @returns undefined for one that no model could be offered */
export function toOfferedTool(said: unknown, place: ServerPlace): OfferedTool | undefined {
  const { success, output } = v.safeParse(tool, said);
  if (!success) return undefined;
  const { name, description, annotations } = output;
  const { $schema: _, ...schema } = output.inputSchema;
  const identifiers = JSON.stringify([name, schema]);
  if (identifiers.length > maxSchemaChars) return undefined;
  if (JSON.stringify(withoutSecrets(place, [name, schema])) !== identifiers) return undefined;
  const title = output.title ?? annotations.title ?? name;
  return {
    name,
    title: toSaid(place, title, maxNameChars),
    description: toSaid(place, description, maxDescriptionChars),
    schema,
    isReadOnly: annotations.readOnlyHint === true,
  };
}

const toValueOfPair = (pair: string) => pair.replace(/^[^=]*=/, '');

/** Of `Basic`, as a server reads it. */
function toNameAndPassword(value: string): string[] {
  const [, packed] = /^Basic +(\S+)$/i.exec(value.trim()) ?? [];
  const pair = packed === undefined ? '' : Buffer.from(packed, 'base64').toString();
  return [pair, pair.replace(/^[^:]*:/, '')];
}

const inHtml: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};
const quote = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '\\$&');
const inAnyCase = (hex: string) =>
  hex.replace(/[a-f]/gi, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`);

/** As JSON writes it, and JSON in an address. */
const backslash = String.raw`(?:\\|%5[cC])`;
const backslashes = String.raw`(?:\\|u005[cC]|%5[cC])`;

/** As it is, and as it is written in JSON, in JSON within JSON, in an address and in HTML, by whichever library. */
function toPattern(secret: string): RegExp {
  const chars = wellFormed(secret).match(/\\+|./gsu) ?? [];
  const ways = chars.map((char, index) => {
    if (/[A-Za-z0-9]/.test(char)) return char;
    // However many: to count them, or to begin at each, would take for ever where a text has many more.
    if (char.startsWith('\\')) return `${index === 0 ? `(?<!${backslashes})` : ''}${backslashes}+`;
    const isAfterMany = chars[index - 1]?.startsWith('\\') === true;
    const units = Array.from({ length: char.length }, (_, at) =>
      char.charCodeAt(at).toString(16).padStart(4, '0'),
    );
    const inJson = units
      .map((unit, at) => `${backslash}${isAfterMany && at === 0 ? '' : '{1,8}'}u${inAnyCase(unit)}`)
      .join('');
    const code = char.codePointAt(0)!;
    const inAddress = encodeURIComponent(char) === char ? `%${code.toString(16)}` : encodeURIComponent(char);
    const others = [
      `&#0*${code};`,
      `&#[xX]0*${inAnyCase(code.toString(16))};`,
      ...(char in inHtml ? [`&${inHtml[char]};`] : []),
      ...(char === ' ' ? [quote('+')] : []),
    ];
    const plain = [quote(char), inAnyCase(inAddress), ...others].join('|');
    return `(?:${isAfterMany ? '' : `${backslash}{0,8}`}(?:${plain})|${inJson})`;
  });
  return new RegExp(ways.join(''), 'g');
}

function readSecrets({ headers }: ServerPlace): string[] {
  const secrets = Object.entries(headers)
    .filter(([name]) => secretHeader.test(name))
    .map(([, value]) => value.trim())
    // With what says of which kind it is, without, and each of several.
    .flatMap((value) => [value, value.replace(/^\S+ +/, ''), ...value.split(/; */).map(toValueOfPair)])
    .concat(Object.values(headers).flatMap(toNameAndPassword))
    .filter(({ length }) => length >= leastSecretChars)
    // One may be the beginning of another.
    .sort((one, other) => other.length - one.length);
  return [...new Set(secrets)].slice(0, mostSecrets);
}

/** Of a place: what is looked for in each text. */
const known = new WeakMap<ServerPlace, RegExp[]>();

function patternsOf(place: ServerPlace): RegExp[] {
  const patterns = known.get(place) ?? readSecrets(place).map(toPattern);
  known.set(place, patterns);
  return patterns;
}

/** A server may say again what it was sent. Headers that choose something hold words that it says anyway. */
export function withoutSecrets<T>(place: ServerPlace, said: T): T {
  const patterns = patternsOf(place);
  const hide = (text: string) => patterns.reduce((left, pattern) => left.replace(pattern, '***'), text);
  return JSON.parse(JSON.stringify(said), (_name, value) => {
    if (typeof value === 'string') return hide(value);
    if (typeof value === 'number') return hide(String(value)) === String(value) ? value : '***';
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [hide(name), one]));
  }) as T;
}

/** Cut last: of a secret that was cut the rest would not be found. */
export function toSaid(place: ServerPlace, text: string, most: number): string {
  return wellFormed(withoutSecrets(place, text).slice(0, most));
}

interface Content {
  type: string;
  text?: string;
  uri?: string;
  resource?: { text?: string; uri?: string };
}

export function toOutcome(answer: {
  content?: unknown;
  structuredContent?: unknown;
  isError?: boolean | undefined;
}): ToolOutcome {
  const content = Array.isArray(answer.content) ? (answer.content as Content[]) : [];
  const text = content.map(toText).join('\n');
  if (answer.isError) return { ok: false, result: { error: bounded(text) || 'The tool failed.' } };
  return { ok: true, result: bounded(answer.structuredContent ?? text) };
}

const toText = ({ type, text, uri, resource }: Content): string =>
  text ?? resource?.text ?? uri ?? resource?.uri ?? `[${type}]`;

function bounded<T>(result: T): T {
  if (Buffer.byteLength(JSON.stringify(result)) > maxReplyBytes) throw new ReplyTooLarge(maxReplyBytes);
  return result;
}

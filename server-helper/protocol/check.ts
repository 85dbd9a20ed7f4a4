/** Reads what a visitor sends into the shapes of the wire: unknown → typed, or throws `BadShape`. */
import * as v from 'valibot';
import {
  chatModes,
  type DecisionRequest,
  limits,
  type PageContext,
  reasoningModes,
  type SessionRequest,
  type TurnRequest,
  type Vote,
} from './wire.ts';

/** The value does not have the shape; the message names the place and says what is expected. */
export class BadShape extends Error {
  override name = 'BadShape';
}

const text = (max: number) => v.pipe(v.string(), v.maxLength(max, `at most ${max} characters`));
/** Anything that a reader sees: not space, controls, format characters (U+200B, U+FEFF), fillers or the blank of Braille. */
const visible = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;
const filled = (max: number) =>
  v.pipe(
    text(max),
    v.check((value) => visible.test(value), 'must not be empty'),
  );

const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** `exactOptional`: a field that is there must have a value; null is not "absent". */
const page = v.strictObject({
  url: text(limits.maxPageBytes),
  title: v.exactOptional(text(limits.maxPageBytes)),
  description: v.exactOptional(text(limits.maxPageBytes)),
  language: v.exactOptional(text(64)),
  context: v.exactOptional(v.custom<Record<string, unknown>>(isRecord, 'must be an object')),
});

const turn = v.strictObject({
  text: filled(limits.maxTextChars),
  reasoningMode: v.exactOptional(v.picklist(reasoningModes)),
  mode: v.exactOptional(v.picklist(chatModes)),
  attachments: v.exactOptional(v.array(v.unknown())),
  pasted: v.exactOptional(v.pipe(v.array(text(limits.maxPastedChars)), v.maxLength(limits.maxPasted))),
  page: v.exactOptional(page),
  replaces: v.exactOptional(v.pipe(v.string(), v.uuid('must be a message id'), v.toLowerCase())),
  newest: v.exactOptional(v.pipe(v.string(), v.uuid('must be a turn id'), v.toLowerCase())),
});

const session = v.strictObject({
  ssoToken: v.exactOptional(text(8192)),
  session: v.exactOptional(text(8192)),
});

const expiresAt = v.exactOptional(v.pipe(text(30), v.isoTimestamp()));
const decision = v.variant('decision', [
  v.strictObject({ decision: v.picklist(['approve', 'deny']), expiresAt }),
  v.strictObject({
    decision: v.literal('answer'),
    expiresAt,
    answers: v.pipe(v.array(filled(limits.maxAnswerChars)), v.minLength(1), v.maxLength(limits.maxAnswers)),
  }),
]);

const change = v.union([
  v.strictObject({ title: filled(limits.maxTitleChars) }),
  v.strictObject({ mode: v.picklist(chatModes) }),
]);

const vote = v.strictObject({ vote: v.picklist(['up', 'down', 'none']) });

/** Of the bodies that a visitor sends, for the description of the API. */
export const bodies = { turn, session, decision, change, vote };

function read<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  // An empty array would pass for an object without fields.
  if (Array.isArray(value)) throw new BadShape('expected Object');
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const issue = result.issues[0];
  const path = v.getDotPath(issue);
  // Only the place and the expectation are told: the received value is the visitor's.
  const expected = issue.expected ? `expected ${issue.expected}` : issue.message;
  throw new BadShape(path ? `${path}: ${expected}` : expected);
}

/** What stands in `attachments` is looked at where any are allowed: whether they are is no matter of shape. */
export function readTurnRequest(
  value: unknown,
): Omit<TurnRequest, 'attachments'> & { attachments: unknown[] } {
  const { attachments = [], page: context, ...rest } = read(turn, value);
  const result: ReturnType<typeof readTurnRequest> = { ...rest, attachments };
  if (context) result.page = toSafePage(context);
  return result;
}

/** Cuts query and fragment off, which may hold secrets of the page, and holds the size. */
function toSafePage(context: PageContext): PageContext {
  let url: URL;
  try {
    url = new URL(context.url);
  } catch {
    throw new BadShape('page.url: expected an absolute URL');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new BadShape('page.url: expected http or https');
  }
  const safe = { ...context, url: url.origin + url.pathname };
  if (countBytes(safe) > limits.maxPageBytes)
    throw new BadShape(`page: expected at most ${limits.maxPageBytes} bytes`);
  return safe;
}

function countBytes(value: object): number {
  try {
    return new TextEncoder().encode(JSON.stringify(value)).length;
  } catch {
    // So deep that it cannot be written.
    return Number.POSITIVE_INFINITY;
  }
}

export function readSessionRequest(value: unknown): SessionRequest {
  return read(session, value);
}

export function readDecisionRequest(value: unknown): DecisionRequest {
  return read(decision, value);
}

export function readConversationChange(
  value: unknown,
): { title: string } | { mode: (typeof chatModes)[number] } {
  return read(change, value);
}

export function readVoteRequest(value: unknown): { vote: Vote } {
  return read(vote, value);
}

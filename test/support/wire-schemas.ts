/** What the helper answers and streams, as schemas: the types of the wire once more, in a form that a reply can be held to. */
import * as v from 'valibot';
import type { VisitorExport } from '../../server-helper/protocol/export.ts';
import {
  type Attachment,
  type ConversationList,
  type ConversationReply,
  chatModes,
  type Message,
  type Problem,
  type ProblemCode,
  problems,
  reasoningModes,
  type SessionReply,
  type Source,
  type TurnEventData,
  type TurnEventKind,
} from '../../server-helper/protocol/wire.ts';

/** Output of the schema and the wire's type are each other's. */
type Same<S extends v.GenericSchema, T> =
  v.InferOutput<S> extends T ? (T extends v.InferOutput<S> ? S : never) : never;
const same =
  <T>() =>
  <S extends v.GenericSchema>(schema: S & Same<S, T>): S =>
    schema;

const codes = Object.keys(problems) as ProblemCode[];
const text = v.string();
const time = v.pipe(v.string(), v.isoTimestamp());
const optional = v.exactOptional;

const visitor = v.strictObject({
  kind: v.picklist(['anonymous', 'identified']),
  name: optional(text),
  member: v.boolean(),
});
const source = same<Source>()(
  v.strictObject({ number: v.number(), id: text, title: text, url: optional(text), type: text }),
);
const usage = v.strictObject({
  promptTokens: v.number(),
  completionTokens: v.number(),
  totalTokens: v.number(),
});
const message = same<Message>()(
  v.strictObject({
    id: text,
    turnId: text,
    role: v.picklist(['visitor', 'agent']),
    text,
    status: v.picklist(['completed', 'paused', 'stopped', 'failed', 'running']),
    sources: optional(v.array(source)),
    vote: optional(v.picklist(['up', 'down'])),
    code: optional(v.picklist(codes)),
    at: time,
  }),
);
const liveTurn = v.strictObject({ turnId: text });
const mode = v.picklist(chatModes);

const session = same<SessionReply>()(
  v.strictObject({
    session: text,
    expiresInSeconds: v.number(),
    visitor,
    agent: v.strictObject({
      name: text,
      placeholder: text,
      tagline: optional(text),
      greetings: v.array(text),
      starters: v.array(text),
      accentColor: optional(text),
      backgroundColor: optional(text),
      theme: optional(v.picklist(['light', 'dark'])),
    }),
    allowed: v.strictObject({
      reasoningModes: v.array(v.picklist(reasoningModes)),
      attachments: v.union([
        v.literal(false),
        v.strictObject({ types: v.array(text), bytes: v.number(), files: v.number() }),
      ]),
      chatModes: v.array(mode),
    }),
    reason: optional(v.literal('identity-off')),
  }),
);
const conversationList = same<ConversationList>()(
  v.strictObject({
    conversations: v.array(
      v.strictObject({ id: text, title: text, updatedAt: time, liveTurn: optional(liveTurn) }),
    ),
    next: optional(text),
  }),
);
const conversation = same<ConversationReply>()(
  v.strictObject({
    id: text,
    title: text,
    mode,
    messages: v.array(message),
    liveTurn: optional(liveTurn),
    next: optional(text),
  }),
);
const problem = same<Problem>()(
  v.strictObject({
    type: text,
    title: text,
    status: v.number(),
    code: v.picklist(codes),
    detail: optional(text),
    retryAfterMs: optional(v.number()),
  }),
);
const attachment = same<Attachment>()(v.strictObject({ id: text, name: text, type: text, size: v.number() }));
const checks = v.strictObject({ store: text, agent: text });

const exported = same<VisitorExport>()(
  v.strictObject({
    visitor,
    conversations: v.array(
      v.strictObject({ id: text, title: text, createdAt: time, updatedAt: time, messages: v.array(message) }),
    ),
  }),
);

export const replies = {
  Session: session,
  ConversationList: conversationList,
  Conversation: conversation,
  Attachment: attachment,
  Problem: problem,
  Alive: v.strictObject({ status: v.literal('ok') }),
  Ready: v.strictObject({ status: text, checks }),
  VisitorExport: exported,
};

export const events = {
  'turn-started': v.strictObject({ turnId: text, conversationId: text, at: time }),
  'text-delta': v.strictObject({ text }),
  'reasoning-delta': v.strictObject({ text }),
  tool: v.strictObject({
    id: text,
    name: text,
    status: v.picklist(['running', 'done', 'failed']),
    title: optional(text),
  }),
  sources: v.strictObject({ sources: v.array(source) }),
  'turn-paused': v.strictObject({
    kind: v.picklist(['approval', 'question', 'plan']),
    tool: v.strictObject({
      name: text,
      title: text,
      description: text,
      parameters: v.record(text, v.unknown()),
    }),
    questions: optional(v.array(v.strictObject({ question: text, options: v.array(text) }))),
    expiresAt: time,
  }),
  'turn-completed': v.strictObject({ message, usage: optional(usage) }),
  'turn-stopped': v.strictObject({ message }),
  'turn-failed': v.strictObject({
    code: v.picklist(codes),
    retryable: v.boolean(),
    retryAfterMs: optional(v.number()),
  }),
} satisfies { [K in TurnEventKind]: v.GenericSchema<TurnEventData[K]> };

/**
 * The wire between widget and helper: every shape, event, code and limit, and nothing that does something.
 * Source: design.md "The wire" and wire-clauses.md. Imports types of this folder alone.
 */

import type { AllowedAttachments } from './attachment.ts';
import type { PageContext } from './page.ts';

/** Every code a problem or a `turn-failed` event may carry from the helper. */
export type ProblemCode =
  | 'bad-request'
  | 'unauthenticated'
  | 'session-expired'
  | 'sso-token-invalid'
  | 'sso-token-expired'
  | 'sign-in-required'
  | 'origin-refused'
  | 'challenge-failed'
  | 'not-allowed'
  | 'not-found'
  | 'turn-running'
  | 'turn-conflict'
  | 'too-large'
  | 'unsupported-media-type'
  | 'rate-limited'
  | 'agent-unavailable'
  | 'agent-timeout'
  | 'agent-refused'
  | 'shutting-down'
  | 'internal';

/** HTTP status and whether the same request may succeed later. Total over the union. */
export const problems: Readonly<Record<ProblemCode, { status: number; retryable: boolean }>> = {
  'bad-request': { status: 400, retryable: false },
  unauthenticated: { status: 401, retryable: false },
  'session-expired': { status: 401, retryable: true },
  'sso-token-invalid': { status: 401, retryable: false },
  'sso-token-expired': { status: 401, retryable: true },
  'sign-in-required': { status: 401, retryable: false },
  'origin-refused': { status: 403, retryable: false },
  'challenge-failed': { status: 403, retryable: true },
  'not-allowed': { status: 403, retryable: false },
  'not-found': { status: 404, retryable: false },
  'turn-running': { status: 409, retryable: true },
  'turn-conflict': { status: 409, retryable: false },
  'too-large': { status: 413, retryable: false },
  'unsupported-media-type': { status: 415, retryable: false },
  'rate-limited': { status: 429, retryable: true },
  'agent-unavailable': { status: 502, retryable: true },
  'agent-timeout': { status: 504, retryable: true },
  'agent-refused': { status: 502, retryable: false },
  'shutting-down': { status: 503, retryable: true },
  internal: { status: 500, retryable: true },
};

/** An RFC 9457 problem, sent as `application/problem+json`. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail?: string;
  /** Milliseconds to wait before trying again. */
  retryAfterMs?: number;
};

/** Sizes are bytes of UTF-8 unless the name says otherwise; times are milliseconds. */
export const limits = {
  maxBodyBytes: 256 * 1024,
  maxTextChars: 32_000,
  maxPasted: 8,
  maxPastedChars: 100_000,
  maxPageBytes: 4 * 1024,
  maxAnswers: 4,
  maxAnswerChars: 2_000,
  maxTitleChars: 200,
  /** Text of one turn. */
  maxTurnBytes: 1024 * 1024,
  /** One line of an event stream. */
  maxLineBytes: 1024 * 1024,
  /** All turn logs of one helper together. */
  maxLogBytes: 200 * 1024 * 1024,
  turnTimeoutMs: 10 * 60_000,
  agentSilenceMs: 60_000,
  heartbeatMs: 15_000,
  approvalTtlMs: 15 * 60_000,
  sessionTtlSeconds: 3600,
  sessionRenewalSeconds: 30 * 24 * 3600,
  pageSize: 20,
} as const;

export type ReasoningMode = 'auto' | 'standard' | 'agent';
export const reasoningModes: readonly ReasoningMode[] = ['auto', 'standard', 'agent'];
export type ChatMode = 'ask' | 'edit' | 'plan';
export const chatModes: readonly ChatMode[] = ['ask', 'edit', 'plan'];
export type Vote = 'up' | 'down' | 'none';

export type Visitor = { kind: 'anonymous' | 'identified'; name?: string; member: boolean };

/** How the agent presents itself; taken from its own branding. */
export type AgentProfile = {
  name: string;
  placeholder: string;
  tagline?: string;
  greetings: string[];
  starters: string[];
  accentColor?: string;
  backgroundColor?: string;
  theme?: 'light' | 'dark';
};

export type Allowed = {
  reasoningModes: ReasoningMode[];
  attachments: AllowedAttachments;
  chatModes: ChatMode[];
};

export type SessionRequest = { ssoToken?: string; session?: string };
export type SessionReply = {
  session: string;
  expiresInSeconds: number;
  visitor: Visitor;
  agent: AgentProfile;
  allowed: Allowed;
  /** Why an SSO token that came along was not used. */
  reason?: 'identity-off';
};

export type TurnRequest = {
  text: string;
  reasoningMode?: ReasoningMode | undefined;
  /** The conversation's mode from now on; more than `ask` is for project members alone. */
  mode?: ChatMode;
  pasted?: string[];
  /** Ids of attachments of this conversation. */
  attachments?: string[];
  page?: PageContext | undefined;
  /** Id of the visitor's message which this question takes the place of; what followed it goes too. */
  replaces?: string | undefined;
  /** With `replaces`: the newest turn that is shown. Where a later one was asked since, elsewhere, nothing is replaced: `turn-conflict`. */
  newest?: string | undefined;
};

/** `expiresAt`: of the `turn-paused` that was decided on; a turn that waits for something else by now refuses it. */
export type DecisionRequest = {
  decision: 'approve' | 'deny' | 'answer';
  answers?: string[];
  expiresAt?: string;
};

export type Source = { number: number; id: string; title: string; url?: string; type: string };
export type Usage = { promptTokens: number; completionTokens: number; totalTokens: number };
export type MessageStatus = 'completed' | 'paused' | 'stopped' | 'failed' | 'running';

export type Message = {
  id: string;
  turnId: string;
  role: 'visitor' | 'agent';
  text: string;
  status: MessageStatus;
  sources?: Source[];
  vote?: 'up' | 'down';
  /** Why a failed turn failed. */
  code?: ProblemCode;
  /** RFC 3339. */
  at: string;
};

export type LiveTurn = { turnId: string };
export type ConversationSummary = { id: string; title: string; updatedAt: string; liveTurn?: LiveTurn };
export type ConversationList = { conversations: ConversationSummary[]; next?: string };
export type { Attachment } from './attachment.ts';
export type { VisitorExport } from './export.ts';
export type { PageContext } from './page.ts';
export type ConversationReply = {
  id: string;
  title: string;
  mode: ChatMode;
  /** Oldest first within a page; a later page holds older messages. */
  messages: Message[];
  liveTurn?: LiveTurn;
  next?: string;
};

export type Question = { question: string; options: string[] };

/** Data of every turn event by its kind. Readers skip kinds they do not know. */
export type TurnEventData = {
  'turn-started': { turnId: string; conversationId: string; at: string };
  'text-delta': { text: string };
  'reasoning-delta': { text: string };
  tool: { id: string; name: string; status: 'running' | 'done' | 'failed'; title?: string };
  sources: { sources: Source[] };
  'turn-paused': {
    kind: 'approval' | 'question' | 'plan';
    tool: { name: string; title: string; description: string; parameters: Record<string, unknown> };
    questions?: Question[];
    expiresAt: string;
  };
  'turn-completed': { message: Message; usage?: Usage };
  'turn-stopped': { message: Message };
  'turn-failed': { code: ProblemCode; retryable: boolean; retryAfterMs?: number };
};

export type TurnEventKind = keyof TurnEventData;
export type TurnEvent = { [K in TurnEventKind]: { kind: K; data: TurnEventData[K] } }[TurnEventKind];

const turnEventKinds: ReadonlySet<string> = new Set<TurnEventKind>([
  'turn-started',
  'text-delta',
  'reasoning-delta',
  'tool',
  'sources',
  'turn-paused',
  'turn-completed',
  'turn-stopped',
  'turn-failed',
]);

/** Kinds after which the stream closes. */
export const endKinds: ReadonlySet<string> = new Set<TurnEventKind>([
  'turn-completed',
  'turn-paused',
  'turn-stopped',
  'turn-failed',
]);

/** True for the kinds this version knows. */
export function isTurnEventKind(kind: string | undefined): kind is TurnEventKind {
  return kind !== undefined && turnEventKinds.has(kind);
}

/** The agent's side of a turn has an id of its own, made from the turn's, so that stream and history agree. */
export function toAgentMessageId(turnId: string): string {
  return `${turnId}.agent`;
}

/** The turn that a message id of the agent's side belongs to; undefined for any other id. */
export function readTurnId(messageId: string): string | undefined {
  return messageId.endsWith('.agent') ? messageId.slice(0, -'.agent'.length) : undefined;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Conversation and turn ids are UUIDs (RFC 9562), made by the widget. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value);
}

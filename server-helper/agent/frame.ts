/** One event of the agent's stream → what it means, in any of the dialects that deployments speak. Pure. */
import { asWord } from '../log.ts';
import type { Source, Usage } from '../protocol/wire.ts';
import { asObject, asString, type Json } from './json.ts';
import { readSources } from './sources.ts';

/** What a paused turn waits for, as received: all of it goes back when the turn is resumed. */
export type AgentPause = {
  executionId: string;
  originalQuery?: string;
  context?: unknown;
  executedTools?: unknown[];
  tool: { name: string; description?: string; server_label?: string; parameters?: Record<string, unknown> };
};

/** The agent's finished reply. */
export type AgentReply = {
  text: string | undefined;
  agentMessageId: string | undefined;
  sources: Source[] | undefined;
  usage: Usage | undefined;
};

export type Frame =
  /** `json` is `{"text":…}` in UTF-8 where it came just so. Both are good until the call returns: see `keep`. */
  | { kind: 'text'; text: string; json?: Uint8Array }
  | { kind: 'reasoning'; text: string }
  | { kind: 'tool'; key: string; name: string; status: 'running' | 'done' | 'failed' }
  | { kind: 'sources'; sources: Source[] }
  | { kind: 'pause'; pause: AgentPause }
  | { kind: 'final'; reply: AgentReply }
  /** The text is whole, though no reply object came; or `text` is all of it. */
  | { kind: 'done'; text?: string }
  /** `code`: the agent's own word for it. */
  | { kind: 'error'; status: number | undefined; code?: string }
  /** JSON that does not parse: never shown, and a reason to ask for the record at the end. */
  | { kind: 'broken' }
  | { kind: 'skip' };

const skip: Frame = { kind: 'skip' };

/** For whoever looks at a frame later than in the call that hands it over. */
export function keep(frame: Frame): Frame {
  return frame.kind === 'text' ? { kind: 'text', text: frame.text } : frame;
}

const textKinds = new Set([
  undefined,
  'message',
  'delta',
  'text',
  'token',
  'content',
  'chunk',
  'text-delta',
  'answer',
]);
const textKeys = ['text', 'delta', 'content', 'reply', 'token', 'chunk'] as const;
/** What makes a chat object a reply, whatever its event is called: others only name the chat. */
const replyKeys = ['agent', 'reply', 'content', 'result', 'requiresApproval', 'type'];
const finalKinds = new Set(['done', 'final', 'end', 'complete', 'completed']);

/** Types of unnamed events whose words are no answer: of tools, of the agent's state, and of what was told already. */
const noText =
  /tool|function|call|result|status|step|usage|meta|title|source|citation|ping|(^|[._-])(start|started|stop|done|end|created|added)$/i;

/**
 * @param event the event's name, undefined for the default kind
 * @param plain whether this stream has shown itself to send text as it is
 */
export function readFrame(event: string | undefined, data: string, plain: boolean): Frame {
  if (data.trim() === '[DONE]') return { kind: 'done' };
  const first = data.charCodeAt(0);
  // A quote or a bracket also opens a word, a citation or a list in a stream of plain text.
  const mayBePlain = first === 0x22 || first === 0x5b;
  if (plain && event === undefined && first === 0x7b) return readAmongText(data);
  const looksJson = first === 0x7b || (mayBePlain && !plain);
  if (!looksJson)
    return textKinds.has(event) && data !== '' ? { kind: 'text', text: data } : toNamed(event, {});
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return first === 0x5b && textKinds.has(event) ? { kind: 'text', text: data } : { kind: 'broken' };
  }
  if (typeof value === 'string') return textKinds.has(event) ? toText(value) : skip;
  if (Array.isArray(value))
    return textKinds.has(event) ? { kind: 'text', text: data } : toNamed(event, { items: value });
  return toNamed(event, value as Json);
}

/** A brace opens code as well: only what ends, pauses or fails the answer, or names its type, is an event. */
function readAmongText(data: string): Frame {
  const text: Frame = { kind: 'text', text: data };
  try {
    const json = JSON.parse(data) as Json;
    const frame = toNamed(undefined, json);
    return /^(skip|text)$/.test(frame.kind) && typeof json.type !== 'string' ? text : frame;
  } catch {
    return text;
  }
}

function toNamed(event: string | undefined, json: Json): Frame {
  const chat = asObject(json.chat);
  if (chat && (finalKinds.has(event ?? '') || replyKeys.some((key) => key in chat))) return readChat(chat);
  if (event === 'approval' || json.requiresApproval === true || json.type === 'tool_approval_required')
    return readPause(json);
  // A tool or a source may fail, and the answer goes on.
  const isUnnamed = event === undefined || event === 'message';
  const named = isUnnamed && typeof json.type === 'string' ? json.type : event;
  const mayEnd = textKinds.has(named) || named === 'error' || (named !== undefined && finalKinds.has(named));
  const choice = asObject(Array.isArray(json.choices) ? json.choices[0] : undefined);
  if (event === 'error' || (mayEnd && (json.type === 'error' || isError(json.error)))) return readError(json);
  if (mayEnd && choice && isError(choice.error)) return readError(choice);
  const told = [json, choice, asObject(json.agent), asObject(json.message), asObject(choice?.message)];
  if (mayEnd && told.some((one) => one && isCutOff(one))) return { kind: 'error', status: undefined };
  if (event === 'sources') return { kind: 'sources', sources: readSources(json.sources ?? json.items) };
  if (event === 'tool') return readTool(json);
  const kind = event ?? (typeof json.type === 'string' ? json.type : undefined);
  if (kind !== undefined && /reason|think/i.test(kind)) {
    const text = readText(json);
    return text ? { kind: 'reasoning', text } : skip;
  }
  if (named !== undefined && finalKinds.has(named)) return toDone(json);
  if (!textKinds.has(event) || (isUnnamed && noText.test(named ?? ''))) return skip;
  return toText(readText(json) ?? '');
}

/** Some agents put `error: null`, `false` or `""` into what is none. */
function isError(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== '';
}

/** An end that says of itself that it failed: what came before it is a fragment. */
function hasFailed({ success, status }: Json): boolean {
  return success === false || status === 'error' || status === 'failed';
}

function toDone(json: Json): Frame {
  if (hasFailed(json)) return { kind: 'error', status: undefined };
  const text = readText(json);
  return text ? { kind: 'done', text } : { kind: 'done' };
}

function toText(text: string): Frame {
  return text === '' ? skip : { kind: 'text', text };
}

/** Text under any of the known keys, or in OpenAI's `choices[0].delta.content`; no agent puts it deeper than `most`. */
function readText(json: Json, most = 10): string | undefined {
  for (const key of textKeys) {
    const value = json[key];
    if (typeof value === 'string') return value;
    const inner = most > 0 ? asObject(value) : undefined;
    if (inner) return readText(inner, most - 1);
  }
  const choice = asObject(most > 0 && Array.isArray(json.choices) ? json.choices[0] : undefined);
  return choice && readText(asObject(choice.delta) ?? asObject(choice.message) ?? choice, most - 1);
}

/** The reply object: of a final event, of an answer that did not stream, of a resumed tool. */
export function readChat(chat: Json): Frame {
  if (chat.requiresApproval === true || chat.type === 'tool_approval_required') return readPause(chat);
  const agent = asObject(chat.agent) ?? {};
  if (hasFailed(chat) || isCutOff(chat) || isCutOff(agent)) return { kind: 'error', status: undefined };
  const text = [agent.content, chat.reply, chat.content, chat.result].find(
    (value) => typeof value === 'string',
  );
  return {
    kind: 'final',
    reply: {
      text: text as string | undefined,
      agentMessageId: asString(agent.uuid),
      sources: Array.isArray(chat.sources) ? readSources(chat.sources) : undefined,
      usage: readUsage(asObject(chat.usage)),
    },
  };
}

/** Somebody else stopped it, or the agent itself as it went down: what is there is a fragment. */
export function isCutOff({ cancelled, finish_reason }: Json): boolean {
  return cancelled === true || finish_reason === 'cancelled' || finish_reason === 'error';
}

/** Deeper than this nothing is meant for a person to decide on, and it could not be written down. */
const maxPauseDepth = 100;

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return most === 0 || Object.values(value).some((inner) => isDeeper(inner, most - 1));
}

function readPause(json: Json): Frame {
  if (isDeeper(json, maxPauseDepth)) return { kind: 'broken' };
  const tool = asObject(json.tool);
  const executionId = asString(json.executionId);
  const name = asString(tool?.name);
  if (!executionId || !tool || !name) return { kind: 'broken' };
  const pause: AgentPause = { executionId, tool: { name } };
  const originalQuery = asString(json.originalQuery);
  if (originalQuery !== undefined) pause.originalQuery = originalQuery;
  if (json.context !== undefined) pause.context = json.context;
  if (Array.isArray(json.executedTools)) pause.executedTools = json.executedTools.slice(0, 50);
  const description = asString(tool.description);
  if (description !== undefined) pause.tool.description = description;
  const label = asString(tool.server_label);
  if (label !== undefined) pause.tool.server_label = label;
  const parameters = asObject(tool.parameters);
  if (parameters) pause.tool.parameters = parameters;
  return { kind: 'pause', pause };
}

function readTool(json: Json): Frame {
  const name = asString(json.name);
  if (!name) return skip;
  const status = json.status === 'done' || json.status === 'failed' ? json.status : 'running';
  return { kind: 'tool', key: asString(json.executionId) ?? asString(json.id) ?? name, name, status };
}

function readError(json: Json): Frame {
  const error = asObject(json.error) ?? json;
  const told = Number(error.status ?? error.code);
  const status = told >= 400 && told < 600 ? told : undefined;
  const code = asWord(error.code);
  return { kind: 'error', status, ...(code && { code }) };
}

function readUsage(usage: Json | undefined): Usage | undefined {
  if (!usage) return undefined;
  const count = (key: string) => (typeof usage[key] === 'number' ? (usage[key] as number) : 0);
  return {
    promptTokens: count('prompt_tokens'),
    completionTokens: count('completion_tokens'),
    totalTokens: count('total_tokens'),
  };
}

/** The interface of an answerer: what it is given, what it may do meanwhile, and how a turn can end. */

import type { FoundPassage } from '../retrieval/search.ts';
import { toShortTitle } from '../retrieval/title.ts';
import type { Bot } from '../store/bots.ts';
import type { ChatMode, Persona } from '../store/chats.ts';
import type { MemoryType } from '../store/memories.ts';
import type { CitedSource } from '../store/messages.ts';
import type { PauseRecord } from '../store/pauses.ts';
import type { Tool, ToolOutcome, ToolParameters } from '../tools.ts';
import type { Attachment } from '../turns/attachments.ts';

export interface HistoryMessage {
  role: 'user' | 'system';
  content: string;
}

export type Decision =
  | { kind: 'result'; ok: boolean; result: unknown }
  | { kind: 'denied' }
  | { kind: 'answers'; answers: string[] };

export interface AnswerRequest {
  bot: Bot;
  persona: Persona;
  question: string;
  /** Stands for the messages before `history`; empty when there are none. */
  summary: string;
  /** Oldest first, without the question. */
  history: readonly HistoryMessage[];
  /** Page context, long pasted text and files: data of the visitor's, never instructions. */
  data: { metadata?: unknown; pasted?: readonly string[]; attachments?: readonly Attachment[] };
  /** Absent scope lists mean all sources. `top` 0: the call switched memory off. */
  scope: { sourceIds?: readonly string[]; tags?: readonly string[]; top: number };
  tools: readonly Tool[];
  /** For a language model alone: the service's own, and those of tool servers. */
  modelTools: readonly Tool[];
  chatMode: ChatMode;
  /** The call is for somebody whom the service knows by a token. */
  isSignedIn: boolean;
  reasoningMode: 'auto' | 'standard' | 'agent';
  /** All that is sent to a model has room in it. */
  contextTokens: number;
  /** Already checked: only what this caller may override is here. */
  overrides: { instruction?: string; model?: string; temperature?: number; maxReplyTokens?: number };
  /** What is remembered of the visitor, oldest first; absent for guests, and where memory is off. */
  memories?: Memories | undefined;
  /** Present when the turn goes on after a pause. */
  resumed?: { tool: PauseRecord['tool']; executionId: string; decision: Decision; state: unknown };
}

export interface Memories {
  known: readonly string[];
  /** @returns its uuid */
  add(content: string, type: MemoryType): string;
}

/** What an answerer may do while it answers. */
export interface AnswerPort {
  delta(text: string): void;
  reasoning(text: string): void;
  /** Replaces what was said about sources before. */
  sources(sources: CitedSource[]): void;
  /** Runs a tool and reports it to the readers of the stream. */
  runTool(tool: Tool, parameters: ToolParameters): Promise<ToolOutcome>;
  /** The model's host took no request with tools of servers: it is asked without. */
  toolsRefused(): void;
}

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

export type AnswerOutcome =
  | { kind: 'done'; usage?: Usage }
  | { kind: 'paused'; tool: PauseRecord['tool']; state?: unknown; usage?: Usage };

export interface Answerer {
  readonly model: string;
  /** How many tokens it sends besides what was said before; absent where nothing is sent to anybody. */
  overhead?(request: AnswerRequest): number;
  /** Must stop its own work when the signal aborts; what it says afterwards is dropped. */
  answer(request: AnswerRequest, port: AnswerPort, signal: AbortSignal): Promise<AnswerOutcome>;
  /** One text that stands for the earlier summary and these messages. */
  summarise(earlier: string, messages: readonly HistoryMessage[], signal: AbortSignal): Promise<string>;
}

export function toCitedSource(passage: FoundPassage, number: number): CitedSource {
  return {
    citation_number: number,
    source_id: passage.source_id,
    title: toShortTitle(passage.title),
    url: passage.url,
    favicon: passage.favicon,
    type: passage.type,
    tags: passage.tags,
  };
}

/** The pause of a tool that somebody must approve. */
export function toToolPause(tool: Tool, parameters: ToolParameters, reasoning: string): PauseRecord['tool'] {
  const { name, title, description, server, isQuestion = false } = tool;
  const origin = server ? { server } : {};
  return { name, title, description, parameters, reasoning, builtIn: isQuestion, ...origin };
}

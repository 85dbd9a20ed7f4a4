/** The chat area of the agent's API: ask, resume, stop, follow. The only builder of chat bodies. */
import type { ChatMode, PageContext, ReasoningMode } from '../protocol/wire.ts';
import { AgentMissing, chatPath } from './failure.ts';
import type { AgentPause } from './frame.ts';
import type { AgentHttp } from './http.ts';
import { asObject } from './json.ts';
import { type AnswerSink, openAnswer } from './stream.ts';

/** What a turn asks. The visitor chose text, pasted, page and, among the allowed, the modes; the rest is ours. */
export type ChatQuestion = {
  chatId: string;
  text: string;
  workspace: string;
  memberId: string | undefined;
  reasoningMode: ReasoningMode | undefined;
  chatMode: ChatMode;
  pasted: readonly string[] | undefined;
  attachments: readonly AgentAttachment[];
  page: PageContext | undefined;
};

/** `data`: base64, in pieces of at most 61,440 bytes. */
export type AgentAttachment = { name: string; type: string; size: number; data: readonly string[] };

/** The visitor's word on a paused turn. */
export type ChatDecision = {
  decision: 'approve' | 'deny' | 'answer';
  answers: readonly string[] | undefined;
  /** The tool ran here, and gave this JSON. */
  ran?: { result: unknown };
};

export type AgentChat = {
  ask(question: ChatQuestion, sink: AnswerSink): { abort(): void };
  resume(chatId: string, pause: AgentPause, decision: ChatDecision, sink: AnswerSink): { abort(): void };
  /** The running reply from its first word on. */
  subscribe(chatId: string, sink: AnswerSink): { abort(): void };
  /** Whether a reply runs; undefined when the agent does not say. */
  isStreaming(chatId: string): Promise<boolean | undefined>;
  cancel(chatId: string): Promise<void>;
};

const cancelTimeoutMs = 5_000;

export function createAgentChat(http: AgentHttp): AgentChat {
  return {
    ask: (question, sink) => openAnswer(http, 'POST', chatPath, { body: toChatBody(question) }, sink),
    resume: (chatId, pause, decision, sink) =>
      openAnswer(
        http,
        'POST',
        '/v1/bot/chat/execute-tool',
        { body: { chat_id: chatId, stream: true, execution_data: toExecutionData(pause, decision) } },
        sink,
      ),
    subscribe: (chatId, sink) =>
      openAnswer(http, 'GET', '/v1/bot/chat/subscribe', { query: { chat_id: chatId } }, sink),
    async isStreaming(chatId) {
      try {
        const query = { chat_id: chatId };
        const status = asObject(await http.call('GET', '/v1/bot/chat/stream-status', { query }));
        const streaming = status?.streaming ?? asObject(status?.data)?.streaming;
        return typeof streaming === 'boolean' ? streaming : undefined;
      } catch (error) {
        // A deployment without this endpoint says nothing of the sort.
        if (error instanceof AgentMissing) return undefined;
        throw error;
      }
    },
    async cancel(chatId) {
      await http.call('POST', '/v1/bot/chat/cancel', {
        body: { chat_id: chatId },
        timeoutMs: cancelTimeoutMs,
      });
    },
  };
}

/** Built key by key; `purpose` and the workspace last, so that nothing above can take their place. */
function toChatBody(question: ChatQuestion): Record<string, unknown> {
  const body: Record<string, unknown> = {
    chat_id: question.chatId,
    message: question.text,
    stream: true,
    chat_mode: question.chatMode,
  };
  if (question.reasoningMode !== undefined) body.reasoning_mode = question.reasoningMode;
  if (question.pasted?.length) body.pasted = question.pasted;
  if (question.attachments.length > 0)
    body.attachments = question.attachments.map(({ type, ...file }) => ({ ...file, mime_type: type }));
  if (question.page) body.metadata = { page: question.page };
  if (question.memberId !== undefined) body.member_id = question.memberId;
  body.workspace_uuid = question.workspace;
  body.purpose = 'service';
  return body;
}

/** All that was received goes back; only the visitor's answers are added. The pin is remembered by the agent. */
function toExecutionData(
  pause: AgentPause,
  { decision, answers, ran }: ChatDecision,
): Record<string, unknown> {
  const parameters = { ...pause.tool.parameters };
  if (decision === 'answer') parameters.answers = answers;
  return {
    executionId: pause.executionId,
    originalQuery: pause.originalQuery,
    executionType: 'SINGLE',
    toolName: pause.tool.name,
    parameters,
    context: pause.context,
    executedTools: pause.executedTools ?? [],
    ...(decision === 'deny' ? { denied: true } : {}),
    ...(ran ? { result: ran.result } : {}),
  };
}

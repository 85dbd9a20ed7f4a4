/** One turn, from the question to its record: asks the answerer and saves how it ended. */

import type { Answerer, AnswerOutcome, AnswerRequest, Usage } from '../answer/answerer.ts';
import { thatFit } from '../answer/room.ts';
import { estimateTokens } from '../answer/tokens.ts';
import { AgentError, toAgentError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import type { Chat } from '../store/chats.ts';
import type { FinishReason, Message } from '../store/messages.ts';
import type { ExecutedTool, Pause } from '../store/pauses.ts';
import type { Call } from './call.ts';
import type { Reply } from './reply.ts';
import type { TurnEnd } from './runner.ts';
import { createSaying, type Saying } from './saying.ts';
import { toWireChat, toWirePause } from './wire.ts';

const maxAgentCredits = 10;

/** A turn's beginning, or what its part before a pause left. */
export interface TurnStart {
  chat: Chat;
  /** Called with a key of owners, admins or moderators: they are told of the workspace. */
  isStaffs: boolean;
  user: Message;
  messageId: string;
  /** Shown before what is said now. */
  content: string;
  executedTools: ExecutedTool[];
  creditsUsed: number;
  call: Call;
}

/** Makes the answerer's request; here tools that were approved run. */
export type Prepare = (saying: Saying) => Promise<AnswerRequest>;

export async function answerTurn(
  parts: Parts,
  start: TurnStart,
  answerer: Answerer,
  prepare: Prepare,
  reply: Reply,
  turnSignal: AbortSignal,
): Promise<TurnEnd> {
  const { chat, user, messageId, call } = start;
  const { events } = parts;
  const chatId = chat.chat_id;
  const { now } = parts.config;
  const saying = createSaying(
    reply,
    turnSignal,
    start.executedTools,
    now,
    (ran) => parts.turnLog.ranTool({ ...ran, bot_id: chat.bot_id, chat: chat.id }),
    () => events.record('tools.refused', { bot_id: chat.bot_id, chat_id: chatId }),
  );
  const reasoningType = () => (countsAsAgent(call, saying.executedTools) ? 'agent' : 'standard');
  const begunAt = now();
  parts.turnLog.begin({
    message_id: messageId,
    bot_id: chat.bot_id,
    chat: chat.id,
    reasoning_type: reasoningType(),
  });
  const noteEnd = (ended: FinishReason, error?: AgentError) =>
    parts.turnLog.end(messageId, {
      ended,
      reasoning_type: reasoningType(),
      duration_ms: Math.max(0, now() - begunAt),
      steps: 1 + saying.executedTools.length - start.executedTools.length,
      reasoning_tokens: estimateTokens(saying.reasoning),
      ...(error ? { error } : {}),
    });
  const workspace = start.isStaffs && chat.workspace_uuid ? { workspace_uuid: chat.workspace_uuid } : {};
  reply.push('start', {
    chat_id: chatId,
    message_id: messageId,
    ...workspace,
  });

  /** @param waiting the tool that the answer waits for */
  const save = (reason: FinishReason, usage: Usage, waiting?: Pause['tool']): Message => {
    const type = reasoningType();
    const isFree = reason === 'error' && saying.text === '';
    const spent = isFree ? 0 : type === 'agent' ? toAgentCredits(saying.executedTools) : 1;
    parts.bots.charge(chat.bot_id, Math.max(0, spent - start.creditsUsed));
    return parts.messages.save({
      uuid: messageId,
      chat: chat.id,
      role: 'system',
      content: start.content + saying.text,
      model: answerer.model,
      reasoning_type: type,
      credit_used: Math.max(spent, start.creditsUsed),
      tokens: usage.completion_tokens,
      sources: saying.sources,
      finish_reason: reason,
      ran: reason === 'stop' ? '' : toRan(saying, waiting),
    });
  };
  const estimated = (): Usage => toUsage(user.content, saying.text);

  try {
    const outcome = await untilAborted(work(answerer, prepare, saying), saying.signal);
    const usage = outcome.usage ?? estimated();
    const ended = outcome.kind === 'paused' ? 'paused' : 'stop';
    const agent = save(ended, usage, outcome.kind === 'paused' ? outcome.tool : undefined);
    noteEnd(ended);
    const wire = { ...toWireChat(user, agent, chatId, usage, call.notes), ...workspace };
    if (outcome.kind === 'done') {
      events.record('chat.done', { chat_id: chatId, message_id: messageId });
      return { frame: 'done', chat: wire };
    }
    const pause = parts.pauses.create(chat.id, {
      messageId,
      userMessageId: user.uuid,
      originalQuery: user.content,
      content: agent.content,
      tool: outcome.tool,
      executedTools: saying.executedTools,
      creditsUsed: agent.credit_used,
      state: outcome.state,
      call,
    });
    // The caller's own provider goes on with it: kept here, its key reaches no disk.
    parts.answerers.hold(pause.executionId, answerer);
    events.record('chat.paused', { chat_id: chatId, message_id: messageId, tool: outcome.tool.name });
    const wirePause = toWirePause(pause, chatId);
    return { frame: 'approval', chat: { ...wire, ...wirePause }, pause: wirePause };
  } catch (thrown) {
    if (turnSignal.aborted) {
      const agent = save('cancelled', estimated());
      noteEnd('cancelled');
      events.record('chat.cancelled', { chat_id: chatId, message_id: messageId });
      return {
        frame: 'done',
        chat: { ...toWireChat(user, agent, chatId, estimated(), call.notes), ...workspace },
      };
    }
    const error = toAgentError(saying.signal.aborted ? saying.signal.reason : thrown);
    // One that waited for a decision waits no more.
    const hasMessage = parts.messages.find(chat.id, messageId) !== undefined;
    if (saying.text !== '' || hasMessage) save('error', estimated());
    noteEnd('error', error);
    events.record('chat.failed', {
      chat_id: chatId,
      message_id: messageId,
      code: error.code,
      ...(error === thrown ? {} : { cause: thrown instanceof Error ? thrown.stack : 'unknown' }),
    });
    throw error;
  }
}

async function work(answerer: Answerer, prepare: Prepare, saying: Saying): Promise<AnswerOutcome> {
  const request = await prepare(saying);
  saying.signal.throwIfAborted();
  const outcome = await answerer.answer(request, saying.port, saying.signal);
  saying.signal.throwIfAborted();
  return outcome;
}

/** An answerer that is slow to notice must not hold up the one who cancelled. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new AgentError(500, 'aborted', 'The turn was aborted.'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** `auto` counts as what it turned out to be: as agent once it has called a tool. */
function countsAsAgent({ reasoningMode }: Call, tools: readonly ExecutedTool[]): boolean {
  return reasoningMode === 'agent' || (reasoningMode === 'auto' && tools.length > 0);
}

/** One, and one a tool call that ran, 10 at most. */
function toAgentCredits(tools: readonly ExecutedTool[]): number {
  return Math.min(maxAgentCredits, 1 + tools.filter(({ status }) => status !== 'denied').length);
}

const mostRanChars = 500;

/** Told to a model in a later turn, where this one did not come to its end. */
function toRan({ executedTools, runningTools }: Saying, waiting: Pause['tool'] | undefined): string {
  const ran = executedTools.map(({ name, status }) => `${name} (${status})`);
  const begun = [...runningTools].map((name) => `${name} (begun, its result is not known)`);
  // The caller may have run it, and have been stopped before it told.
  const isOurs = waiting?.builtIn || waiting?.server;
  const open = isOurs ? 'not decided' : 'asked for, whether it was done is not known';
  const asked = waiting ? [`${waiting.name} (${open})`] : [];
  // The last first: what is not known is the last, and stays.
  const counts = new Map<string, number>();
  for (const one of [...ran, ...begun, ...asked].reverse()) counts.set(one, (counts.get(one) ?? 0) + 1);
  const told = [...counts].map(([one, count]) => (count === 1 ? one : `${one} × ${count}`));
  return thatFit(told, mostRanChars, ({ length }) => length + 2)
    .reverse()
    .join(', ');
}

function toUsage(question: string, answer: string): Usage {
  const prompt_tokens = estimateTokens(question);
  const completion_tokens = estimateTokens(answer);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

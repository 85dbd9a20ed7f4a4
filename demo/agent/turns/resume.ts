/** A paused turn goes on: approved, refused, answered, or with a result that the caller brings. */

import type { Decision } from '../answer/answerer.ts';
import { AgentError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import type { Chat } from '../store/chats.ts';
import type { Pause } from '../store/pauses.ts';
import { findTool, originOf, type ToolParameters } from '../tools.ts';
import { answerTurn, type TurnStart } from './answering.ts';
import type { Call } from './call.ts';
import { memoriesOf, toAnswerRequest, toTools } from './request.ts';
import type { Turn } from './runner.ts';
import type { Saying } from './saying.ts';

export interface Execution {
  isStaffs: boolean;
  executionId: string;
  denied: boolean;
  /** Present when the caller ran the tool itself; any JSON, null too. */
  own?: { result: unknown };
  /** What the caller sent back; only `answers` of `ask_user` is read. */
  parameters: ToolParameters;
}

export interface Resumed {
  turn: Turn;
  /** What the tool gave; settled when the turn is. */
  toolResult(): unknown;
}

export function resumeTurn(parts: Parts, bot: Bot, chat: Chat, execution: Execution): Resumed {
  const { turns, events, messages } = parts;
  turns.requireIdle(bot.uuid, chat.chat_id);
  const answers = execution.parameters.answers;
  const runs = !execution.denied && !execution.own;
  const pause = parts.pauses.take(chat.id, execution.executionId, runs, (taken) => {
    if ((taken.call as Call).persona !== 'visitor' && !execution.isStaffs)
      throw new AgentError(403, 'forbidden', 'This is for owners, admins and moderators of the project.');
    if (bot.status === 0 && !execution.denied)
      throw new AgentError(403, 'bot_inactive', 'This agent is switched off.');
    if (execution.own && taken.tool.server)
      throw new AgentError(400, 'invalid_parameters', 'execution_data.result: this tool runs here.');
    if (!execution.own && !execution.denied && isCallers(parts, taken))
      throw new AgentError(
        400,
        'invalid_parameters',
        'execution_data.result: this tool is run by the caller, who brings its result.',
      );
    if (taken.tool.builtIn && !execution.denied && !isAnswers(answers))
      throw new AgentError(
        400,
        'invalid_parameters',
        'execution_data.parameters.answers: an array of 1 to 4 strings is needed.',
      );
  });
  const user = messages.find(chat.id, pause.userMessageId);
  if (!user) throw new AgentError(409, 'approval_expired', 'The question of this execution was deleted.');
  const start: TurnStart = {
    chat,
    isStaffs: execution.isStaffs,
    user,
    messageId: pause.messageId,
    content: pause.content,
    executedTools: pause.executedTools,
    creditsUsed: pause.creditsUsed,
    call: pause.call as Call,
  };
  const answerer =
    parts.answerers.take(execution.executionId) ?? parts.answerers.choose({}, bot.model ?? undefined);
  let toolResult: unknown = null;
  events.record('chat.resumed', {
    chat_id: chat.chat_id,
    message_id: pause.messageId,
    denied: execution.denied,
  });

  const turn = turns.start({
    botId: bot.uuid,
    chatId: chat.chat_id,
    messageId: pause.messageId,
    run: (reply, signal) =>
      answerTurn(
        parts,
        start,
        answerer,
        async (saying) => {
          const decision = await decide(parts, bot, chat, pause, execution, saying);
          toolResult = decision.kind === 'result' ? decision.result : null;
          const request = await toAnswerRequest(parts, bot, start, answerer, saying.signal);
          const { tool, executionId, state } = pause;
          return { ...request, resumed: { tool, executionId, decision, state } };
        },
        reply,
        signal,
      ),
  });
  return { turn, toolResult: () => toolResult };
}

/** What runs is what was shown and approved: the parameters of the pause, not those sent back. */
async function decide(
  parts: Parts,
  bot: Bot,
  chat: Chat,
  pause: Pause,
  execution: Execution,
  saying: Saying,
): Promise<Decision> {
  const { tool, executionId } = pause;
  if (execution.denied) {
    saying.executedTools.push({
      executionId,
      name: tool.name,
      parameters: tool.parameters,
      status: 'denied',
    });
    return { kind: 'denied' };
  }
  if (tool.builtIn) return { kind: 'answers', answers: execution.parameters.answers as string[] };
  if (execution.own) {
    const { result } = execution.own;
    const ok = !isFailure(result);
    const { name, parameters } = tool;
    saying.executedTools.push({ executionId, name, parameters, status: ok ? 'done' : 'failed' });
    return { kind: 'result', ok, result };
  }
  const call = pause.call as Call;
  const { tools, modelTools } = await toTools(parts, bot, chat, call, memoriesOf(parts, bot, chat, call));
  // Another server's of that name was not what was approved.
  const runnable = findTool([...tools, ...modelTools], tool.name, originOf(tool));
  if (!runnable) return { kind: 'result', ok: false, result: { error: 'This tool is gone.' } };
  const { ok, result } = await saying.runTool(runnable, tool.parameters, executionId);
  return { kind: 'result', ok, result };
}

const isCallers = ({ tools }: Parts, { tool }: Pick<Pause, 'tool'>) =>
  !tool.server && !tool.builtIn && tools.some(({ name, isCallers }) => name === tool.name && isCallers);

/** The caller tells so that it could not be done. */
const isFailure = (result: unknown) => typeof (result as { error?: unknown } | null)?.error === 'string';

function isAnswers(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= 4 &&
    value.every((answer) => typeof answer === 'string' && answer.length <= 2000)
  );
}

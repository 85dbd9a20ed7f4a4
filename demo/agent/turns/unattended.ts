/** A run of a task as a turn of the agent: asked by the project itself, in the task's conversation. */

import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import type { Caller } from '../store/keys.ts';
import type { Task } from '../store/tasks.ts';
import { beginTurn } from '../turns/begin.ts';
import type { TurnEnd } from '../turns/runner.ts';
import { chatOf } from './runner.ts';

export async function askForTask(parts: Parts, bot: Bot, task: Task): Promise<TurnEnd> {
  const project: Caller = {
    keyId: '',
    projectId: bot.projectId,
    role: 'owner',
    isStaff: true,
    manages: true,
  };
  const turn = beginTurn(parts, project, bot, {
    message: task.prompt,
    chatId: chatOf(task),
    chatMode: task.chat_mode,
    memberId: undefined,
    asksService: false,
    workspaceUuid: undefined,
    provider: { host: undefined, key: undefined, model: undefined },
    reasoningMode: bot.reasoning_type,
    scope: { top: bot.memory ? bot.top : 0 },
    data: {},
    overrides: {},
  });
  return turn.finished;
}

/** Nobody is there to decide: what it waits for is over. */
export function giveUpTurn({ chats, pauses, messages }: Parts, bot: Bot, chatId: string) {
  const chat = chats.find(bot.uuid, chatId);
  if (!chat) return;
  pauses.supersede(chat.id);
  messages.endPaused(chat.id);
}

/** A turn that nobody waits for: of a task, of a workflow, of an e-mail. */

import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import type { ChatMode } from '../store/chats.ts';
import type { Caller } from '../store/keys.ts';
import { beginTurn } from './begin.ts';
import type { TurnEnd } from './runner.ts';

export interface UnattendedCall {
  message: string;
  chatId: string | undefined;
  chatMode?: ChatMode;
  /** `project`: its own words. `visitor`: the words may be somebody else's, and may do what a visitor may. */
  as: 'project' | 'visitor';
}

/** Throws as a chat call would. */
export async function askUnattended(
  parts: Parts,
  bot: Bot,
  { message, chatId, chatMode, as }: UnattendedCall,
): Promise<TurnEnd> {
  const isProject = as === 'project';
  const caller: Caller = {
    keyId: '',
    projectId: bot.projectId,
    role: isProject ? 'owner' : 'member',
    isStaff: isProject,
    manages: isProject,
  };
  const turn = beginTurn(parts, caller, bot, {
    message,
    chatId,
    chatMode,
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

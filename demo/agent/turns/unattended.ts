/** A turn that nobody waits for: of a task, of a workflow, of an e-mail. */

import { setTimeout as rest } from 'node:timers/promises';
import { AgentError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import type { ChatMode } from '../store/chats.ts';
import type { Caller } from '../store/keys.ts';
import { beginTurn } from './begin.ts';
import type { WireChat } from './wire.ts';

export interface UnattendedCall {
  message: string;
  chatId: string | undefined;
  chatMode?: ChatMode;
  /** `project`: its own words. `visitor`: the words may be somebody else's, and may do what a visitor may. */
  as: 'project' | 'visitor';
}

export interface UnattendedEnd {
  chat: WireChat;
  /** Why the answer is none to go by. A turn that waits for somebody waits in vain, and is given up. */
  reason?: 'approval_required' | 'cancelled';
}

/** So long it waits for a conversation in which somebody speaks. */
const busyForMs = 60_000;
const busyMs = 500;

/** Tries again while somebody speaks in the conversation. Throws why `signal` aborts meanwhile. */
export async function whenFree<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const until = performance.now() + busyForMs;
  for (;;) {
    try {
      return await ask();
    } catch (thrown) {
      const isBusy = thrown instanceof AgentError && thrown.code === 'chat_busy';
      if (!isBusy || performance.now() > until) throw thrown;
    }
    await rest(busyMs, undefined, { signal });
  }
}

/** Throws as a chat call would. */
export async function askUnattended(
  parts: Parts,
  { uuid }: Bot,
  { message, chatId, chatMode, as }: UnattendedCall,
): Promise<UnattendedEnd> {
  // As it is now: it may have waited.
  const bot = parts.bots.get(uuid);
  if (!bot) throw new AgentError(404, 'bot_not_found', 'This agent is gone.');
  // Before it counts as a question.
  if (chatId !== undefined) parts.turns.requireIdle(bot.uuid, chatId);
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
    isOwn: isProject,
    isUnattended: true,
    workspaceUuid: undefined,
    files: [],
    provider: { host: undefined, key: undefined, model: undefined },
    reasoningMode: bot.reasoning_type,
    scope: { top: bot.memory ? bot.top : 0 },
    data: {},
    overrides: {},
  });
  const { frame, chat } = await turn.finished;
  if (frame === 'approval') {
    giveUp(parts, bot, chat.agent.chat_id);
    return { chat, reason: 'approval_required' };
  }
  return 'cancelled' in chat ? { chat, reason: 'cancelled' } : { chat };
}

/** Nobody is there to decide: what it waits for is over. */
function giveUp({ chats, pauses, messages }: Parts, bot: Bot, chatId: string) {
  const chat = chats.find(bot.uuid, chatId);
  if (!chat) return;
  pauses.supersede(chat.id);
  messages.endPaused(chat.id);
}

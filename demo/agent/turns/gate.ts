/** Whether a chat call may begin a turn: is the agent on, does it know the visitor, has the visitor asked too often? */

import { toKey } from '../email/address.ts';
import { AgentError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import type { ChatMode, Persona } from '../store/chats.ts';
import type { Caller } from '../store/keys.ts';

const maxEndUsers = 10_000;

/** Counts the chat calls of each end user of an agent, in a window that begins with the first of them. */
export interface ChatRates {
  /** Seconds to wait, or undefined when the call counts. */
  count(bot: Bot, endUser: string): number | undefined;
}

export function createChatRates(now: () => number): ChatRates {
  const windows = new Map<string, { until: number; count: number }>();
  return {
    count({ uuid, ratelimit_requests: most, ratelimit_seconds: seconds }, endUser) {
      if (most === null || seconds === null) return undefined;
      const key = JSON.stringify([uuid, endUser]);
      const found = windows.get(key);
      const window = found && found.until > now() ? found : { until: now() + seconds * 1000, count: 0 };
      if (window.count >= most) return Math.max(1, Math.ceil((window.until - now()) / 1000));
      window.count += 1;
      windows.delete(key);
      windows.set(key, window);
      // The one that was counted longest ago is the first to be forgotten.
      if (windows.size > maxEndUsers) windows.delete(windows.keys().next().value!);
      return undefined;
    },
  };
}

export interface Asking {
  caller: Caller;
  bot: Bot;
  persona: Persona;
  memberId: string | undefined;
  chatId: string | undefined;
  chatMode: ChatMode | undefined;
  /** The project asks by itself: that is no end user's call. */
  isOwn?: boolean;
}

/** 403 `bot_inactive`, `login_required`, `mode_not_allowed`, `credits_exhausted`. */
export function requireMayAsk(parts: Parts, { caller, bot, persona, memberId, chatMode, isOwn }: Asking) {
  if (bot.status === 0) throw new AgentError(403, 'bot_inactive', 'This agent is switched off.');
  const member = memberId === undefined ? undefined : parts.accounts.find(bot.projectId, memberId);
  if (bot.require_login && persona !== 'builder' && !isOwn && !member)
    throw new AgentError(403, 'login_required', 'This agent answers signed-in visitors only.');
  if (chatMode !== undefined) requireMode(parts, caller, persona, memberId, chatMode);
  if (bot.credits <= 0) throw new AgentError(403, 'credits_exhausted', 'This agent has no credits left.');
}

/** 429 `bot_rate_limited`. */
export function countAsked(
  parts: Pick<Parts, 'rates'>,
  { bot, memberId, chatId, isOwn }: Pick<Asking, 'bot' | 'memberId' | 'chatId' | 'isOwn'>,
) {
  const endUser = isOwn ? undefined : (memberId ?? chatId);
  const seconds = endUser === undefined ? undefined : parts.rates.count(bot, endUser);
  if (seconds !== undefined)
    throw new AgentError(
      429,
      'bot_rate_limited',
      bot.ratelimit_message ?? 'Too many questions. Try again later.',
      { 'Retry-After': String(seconds) },
    );
}

/** Edit and plan are for the site builder, and for members of the project. */
export function hasModes(
  parts: Pick<Parts, 'accounts' | 'config'>,
  caller: Caller,
  persona: Persona,
  memberId: string | null | undefined,
): boolean {
  if (!caller.isStaff || persona === 'builder') return caller.isStaff;
  const email = memberId ? parts.accounts.find(caller.projectId, memberId)?.email : undefined;
  return email !== undefined && parts.config.memberEmails.includes(toKey(email));
}

/** 403 `mode_not_allowed`. */
export function requireMode(
  parts: Pick<Parts, 'accounts' | 'config'>,
  caller: Caller,
  persona: Persona,
  memberId: string | null | undefined,
  mode: ChatMode,
) {
  if (mode === 'ask' || hasModes(parts, caller, persona, memberId)) return;
  throw new AgentError(403, 'mode_not_allowed', 'Edit and plan are for conversations of the site builder.');
}

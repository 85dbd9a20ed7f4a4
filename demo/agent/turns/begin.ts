/** A new turn of a conversation: who is asking, in which workspace, and the question's record. */

import { randomUUID } from 'node:crypto';
import type { Answerer } from '../answer/answerer.ts';
import type { ProviderOverride } from '../answer/answerers.ts';
import { estimateTokens } from '../answer/tokens.ts';
import { builtinModel } from '../builtin/answerer.ts';
import { AgentError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import { type Chat, type ChatMode, type Persona, type Purpose, silentMs } from '../store/chats.ts';
import type { Caller } from '../store/keys.ts';
import { isWorkflows } from '../workflows/origin.ts';
import { answerTurn, type TurnStart } from './answering.ts';
import { type AttachedFile, keepAttachments, requireAttachable } from './attachments.ts';
import type { Call } from './call.ts';
import { countAsked, hasModes, requireMayAsk } from './gate.ts';
import { toAnswerRequest } from './request.ts';
import type { Turn } from './runner.ts';

export interface ChatCall extends Omit<Call, 'persona' | 'hasModes' | 'isUnattended' | 'notes'> {
  message: string;
  chatId: string | undefined;
  chatMode: ChatMode | undefined;
  memberId: string | undefined;
  asksService: boolean;
  workspaceUuid: string | undefined;
  /** Of staff they lie in the workspace from then on. */
  files: readonly AttachedFile[];
  /** Of a task, where nobody asks. */
  isOwn?: boolean;
  isUnattended?: boolean;
  provider: ProviderOverride;
}

/** Whether the call may begin a turn as things are. Counts nothing. */
export function requireMayBegin(parts: Parts, caller: Caller, bot: Bot, call: ChatCall) {
  const purpose: Purpose = !call.asksService ? 'none' : caller.isStaff ? 'granted' : 'ignored';
  const before = call.chatId === undefined ? undefined : parts.chats.find(bot.uuid, call.chatId);
  const persona = toPersona(caller, purpose, call.memberId, before);
  requireMayAsk(parts, { caller, bot, persona, ...call });
  if (call.chatId !== undefined) parts.turns.requireIdle(bot.uuid, call.chatId);
  return { purpose, before, persona };
}

/** Everything up to the start happens without awaiting, so that two calls at once cannot both pass. */
export function beginTurn(parts: Parts, caller: Caller, bot: Bot, call: ChatCall): Turn {
  const { chats, messages, pauses, turns, events } = parts;
  const { purpose, before, persona } = requireMayBegin(parts, caller, bot, call);
  countAsked(parts, { bot, ...call });
  const chatId = call.chatId ?? randomUUID();
  const pinned =
    purpose === 'granted' && call.workspaceUuid !== undefined
      ? requireWorkspace(parts, caller.projectId, call.workspaceUuid, before)
      : undefined;
  const files = caller.isStaff ? call.files : [];
  requireAttachable(parts.files, pinned ?? before?.workspace_uuid, files);
  // Bad provider addresses fail here, before anything is recorded.
  const answerer = parts.answerers.choose(caller.isStaff ? call.provider : {}, bot.model ?? undefined);

  const chat =
    before ??
    chats.create({
      bot_id: bot.uuid,
      chat_id: chatId,
      subject: toSubject(call.message),
      member_id: call.memberId ?? null,
      persona,
      purpose,
      chat_mode: call.chatMode ?? (persona === 'builder' ? bot.chat_mode : 'ask'),
    });
  const workspace_uuid = pinned ?? chat.workspace_uuid ?? parts.workspaces.requireOwn(chat);
  keepAttachments(parts.files, workspace_uuid, files);
  chats.set(chat.id, {
    purpose,
    workspace_uuid,
    ...(isWorkflows() ? {} : { ends_at: parts.config.now() + silentMs, has_ended: 0 }),
    ...(call.chatMode === undefined ? {} : { chat_mode: call.chatMode }),
    ...(call.memberId === undefined ? {} : { member_id: call.memberId }),
  });
  pauses.supersede(chat.id);
  messages.endPaused(chat.id);
  const user = messages.save({
    chat: chat.id,
    role: 'user',
    content: call.message,
    model: null,
    reasoning_type: call.reasoningMode,
    credit_used: 0,
    tokens: estimateTokens(call.message),
    sources: [],
    finish_reason: null,
  });
  const start: TurnStart = {
    chat: chats.find(bot.uuid, chatId)!,
    isStaffs: caller.isStaff,
    user,
    messageId: randomUUID(),
    content: '',
    executedTools: [],
    creditsUsed: 0,
    call: {
      persona,
      hasModes: hasModes(parts, caller, persona, call.memberId ?? chat.member_id),
      isUnattended: call.isUnattended ?? false,
      reasoningMode: call.reasoningMode,
      scope: call.scope,
      data: call.data,
      overrides: caller.isStaff ? call.overrides : withoutStaffOverrides(call.overrides),
      notes: toNotes(caller, answerer, call),
    },
  };
  events.record('chat.started', { chat_id: chatId, message_id: start.messageId, persona, purpose });
  return turns.start({
    botId: bot.uuid,
    chatId,
    messageId: start.messageId,
    run: (reply, signal) =>
      answerTurn(
        parts,
        start,
        answerer,
        (saying) => toAnswerRequest(parts, bot, start, answerer, saying.signal),
        reply,
        signal,
      ),
  });
}

/** A conversation that began as somebody's visit never becomes the builder's, nor does a turn that is asked for somebody. */
function toPersona(
  caller: Caller,
  purpose: Purpose,
  memberId: string | undefined,
  chat: Chat | undefined,
): Persona {
  if (purpose === 'granted') return 'service';
  const isBuilders = memberId === undefined && (chat === undefined || chat.persona === 'builder');
  return caller.isStaff && isBuilders ? 'builder' : 'visitor';
}

/** Another conversation's own is nobody else's. */
function requireWorkspace(parts: Parts, projectId: string, uuid: string, chat: Chat | undefined): string {
  const kind = parts.workspaces.find(projectId, uuid)?.kind;
  if (kind === undefined || (kind === 'conversation' && chat?.workspace_uuid !== uuid))
    throw new AgentError(404, 'workspace_not_found', 'This project has no such workspace.');
  return uuid;
}

function withoutStaffOverrides({ instruction: _instruction, model: _model, ...rest }: Call['overrides']) {
  return rest;
}

/** What was asked for and has no effect: nothing is ignored in silence. */
function toNotes(caller: Caller, answerer: Answerer, { overrides, provider }: ChatCall): string[] {
  const given = { ...overrides, provider_host: provider.host, provider_key: provider.key };
  const named = (names: readonly (keyof typeof given)[]) => names.filter((name) => given[name] !== undefined);
  const forStaff = caller.isStaff ? [] : named(['model', 'instruction', 'provider_host', 'provider_key']);
  const forModels = answerer.model === builtinModel ? named(['model', 'instruction', 'temperature']) : [];
  return [
    ...forStaff.map((name) => `${name}: ignored, the key is a member's.`),
    ...forModels
      .filter((name) => !forStaff.includes(name))
      .map((name) => `${name}: no effect, no language model answers.`),
  ];
}

function toSubject(message: string): string {
  return message.replace(/\s+/g, ' ').trim().slice(0, 80);
}

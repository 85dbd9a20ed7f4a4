/** Records as the API shows them: messages, the chat object of a reply, the pause object. */

import type { Usage } from '../answer/answerer.ts';
import type { CitedSource, Message } from '../store/messages.ts';
import type { Pause } from '../store/pauses.ts';
import type { Subscriber } from '../store/subscribers.ts';
import { toIso } from '../time.ts';
import { builtIn } from '../tools.ts';

export function toWireSubscriber({ id, email, name, subscribed_at, type, member_id }: Subscriber) {
  return { id, email, name, subscribed_at: toIso(subscribed_at), type, member_id };
}

/** A message of agent-api-decisions.md "Chat", with `finish_reason` and `created_at` of ours. */
export function toWireMessage(message: Message, chatId: string) {
  return {
    uuid: message.uuid,
    chat_id: chatId,
    content: message.content,
    role: message.role,
    model: message.model,
    reasoning_type: message.reasoning_type,
    credit_used: message.credit_used,
    tokens: message.tokens,
    upvotes: message.upvotes,
    downvotes: message.downvotes,
    sources: message.sources,
    created_at: toIso(message.created_at),
    updated_at: toIso(message.updated_at),
    isToolExecuting: message.finish_reason === 'paused',
    finish_reason: message.finish_reason,
  };
}

export interface WireChat {
  reply: string;
  user: ReturnType<typeof toWireMessage>;
  agent: ReturnType<typeof toWireMessage>;
  sources: CitedSource[];
  meta: unknown[];
  usage: Usage;
  /** What the caller asked for in vain. */
  notes: readonly string[];
  /** Of the turn, where the caller runs the project. */
  workspace_uuid?: string;
  /** Present and true when somebody cancelled; the reply is then what was said so far. */
  cancelled?: true;
}

export function toWireChat(
  user: Message,
  agent: Message,
  chatId: string,
  usage: Usage,
  notes: readonly string[],
): WireChat {
  return {
    reply: agent.content,
    user: toWireMessage(user, chatId),
    agent: toWireMessage(agent, chatId),
    sources: agent.sources,
    meta: [],
    usage,
    notes,
    ...(agent.finish_reason === 'cancelled' ? { cancelled: true as const } : {}),
  };
}

/** The pause object of agent-api-decisions.md; `expires_at` and `tool.title` are ours. */
export type WirePause = ReturnType<typeof toWirePause>;

export function toWirePause(pause: Pause, chatId: string) {
  const { name, title, description, parameters, reasoning, server } = pause.tool;
  return {
    type: 'tool_approval_required' as const,
    requiresApproval: true as const,
    executionId: pause.executionId,
    originalQuery: pause.originalQuery,
    context: { chat_id: chatId, message_id: pause.messageId },
    executedTools: pause.executedTools,
    tool: {
      name,
      title,
      description,
      server_label: server?.label ?? (pause.tool.builtIn ? builtIn.label : 'site'),
      parameters,
      reasoning,
    },
    expires_at: toIso(pause.expiresAt),
  };
}

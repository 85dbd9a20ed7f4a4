/** POST /v1/bot/chat: one turn, streamed or not. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot } from '../access.ts';
import { AgentError } from '../errors.ts';
import { chatId, flag, takes, target, texts } from '../input.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import { type ReadAttachments, readAttachments } from '../turns/attachments.ts';
import { beginTurn, type ChatCall, requireMayBegin } from '../turns/begin.ts';
import { toEventStream } from './stream.ts';

const maxMetadataBytes = 4096;
const maxMessageLength = 100_000;
const retiredModes = ['interactive', 'stepwise', 'react'];

const attachment = v.object({
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(255)),
  mime_type: v.string(),
  size: v.pipe(v.number(), v.integer(), v.minValue(0)),
  url: v.optional(v.pipe(v.string(), v.url())),
  // Looked at one by one only where they are as few as a body of the largest size needs.
  data: v.optional(v.union([v.string(), v.pipe(v.custom<unknown[]>(isFew), v.array(v.string()))])),
});

const mostPieces = 1_000;
function isFew(value: unknown): boolean {
  return Array.isArray(value) && value.length <= mostPieces;
}

const chatInput = {
  ...target,
  message: v.pipe(
    v.string(),
    v.maxLength(maxMessageLength),
    v.check((text) => text.trim() !== '', 'more than blanks is needed'),
  ),
  chat_id: v.optional(chatId),
  stream: v.optional(flag),
  model: v.optional(v.pipe(v.string(), v.minLength(1))),
  provider_host: v.optional(v.pipe(v.string(), v.minLength(1))),
  provider_key: v.optional(v.pipe(v.string(), v.minLength(1))),
  instruction: v.optional(v.string()),
  max_reply_tokens: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  temperature: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  source_ids: v.optional(texts),
  tags: v.optional(texts),
  top: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50))),
  reasoning_mode: v.optional(v.string()),
  chat_mode: v.optional(v.picklist(['ask', 'edit', 'plan'])),
  memory: v.optional(flag),
  attachments: v.optional(v.pipe(v.array(attachment), v.maxLength(20))),
  pasted: v.optional(v.pipe(v.array(v.string()), v.maxLength(20))),
  workspace_uuid: v.optional(v.string()),
  purpose: v.optional(v.unknown()),
  metadata: v.optional(v.record(v.string(), v.unknown())),
  member_id: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
};

type ChatInput = v.InferOutput<v.ObjectSchema<typeof chatInput, undefined>>;

export function routeChat(app: Hono<AccessEnv>, parts: Parts) {
  app.post('/v1/bot/chat', takes(chatInput), async (c) => {
    const input = c.get('input');
    const caller = c.get('caller');
    const before = requireBot(parts, caller, input);
    // Before anything is fetched for it.
    requireMayBegin(parts, caller, before, toChatCall(input, before, { shown: [], files: [] }));
    const { signal } = c.req.raw;
    const attached = await readAttachments(input.attachments ?? [], parts, caller.isStaff, signal);
    // As it is now: meanwhile it may have been switched off or deleted.
    const bot = requireBot(parts, caller, input);
    const turn = beginTurn(parts, caller, bot, toChatCall(input, bot, attached));
    if (input.stream === true) return toEventStream(turn.reply, c.res.headers);
    return c.json({ chat: (await turn.finished).chat });
  });
}

function toChatCall(input: ChatInput, bot: Bot, { shown, files }: ReadAttachments): ChatCall {
  return {
    message: input.message,
    chatId: input.chat_id,
    chatMode: input.chat_mode,
    memberId: input.member_id,
    asksService: input.purpose === 'service',
    workspaceUuid: input.workspace_uuid,
    files,
    provider: { host: input.provider_host, key: input.provider_key, model: input.model },
    reasoningMode: readReasoningMode(input.reasoning_mode ?? bot.reasoning_type),
    scope: {
      ...(input.source_ids === undefined ? {} : { sourceIds: input.source_ids }),
      ...(input.tags === undefined ? {} : { tags: input.tags }),
      top: (input.memory ?? bot.memory) ? (input.top ?? bot.top) : 0,
    },
    data: {
      ...(input.metadata === undefined ? {} : { metadata: readMetadata(input.metadata) }),
      ...(input.pasted === undefined ? {} : { pasted: input.pasted }),
      ...(shown.length === 0 ? {} : { attachments: shown }),
    },
    overrides: {
      ...(input.instruction === undefined ? {} : { instruction: input.instruction }),
      ...(input.model === undefined ? {} : { model: input.model }),
      ...(input.temperature === undefined ? {} : { temperature: input.temperature }),
      ...(input.max_reply_tokens === undefined ? {} : { maxReplyTokens: input.max_reply_tokens }),
    },
  };
}

function readReasoningMode(mode: string): ChatCall['reasoningMode'] {
  if (mode === 'auto' || mode === 'standard' || mode === 'agent') return mode;
  throw new AgentError(
    400,
    'invalid_parameters',
    retiredModes.includes(mode)
      ? `reasoning_mode: ${mode} is no longer supported, use agent.`
      : 'reasoning_mode: auto, standard or agent is needed.',
  );
}

function readMetadata(metadata: Record<string, unknown>): Record<string, unknown> {
  if (Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes)
    throw new AgentError(400, 'invalid_parameters', `metadata: at most ${maxMetadataBytes} bytes of JSON.`);
  return metadata;
}

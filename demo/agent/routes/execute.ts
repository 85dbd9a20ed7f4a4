/** POST /v1/bot/chat/execute-tool: the decision that a paused turn waits for. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot } from '../access.ts';
import { AgentError } from '../errors.ts';
import { chatId, flag, takes, target } from '../input.ts';
import type { Parts } from '../parts.ts';
import { resumeTurn } from '../turns/resume.ts';
import { requireChat } from './conversations.ts';
import { toEventStream } from './stream.ts';

const maxResultBytes = 64 * 1024;

const executeInput = {
  ...target,
  chat_id: chatId,
  stream: v.optional(flag),
  execution_data: v.object({
    executionId: v.pipe(v.string(), v.regex(/^exec_\d+_[a-f0-9-]+$/, 'an execution id is needed')),
    executionType: v.optional(v.picklist(['SINGLE', 'BATCH'])),
    originalQuery: v.optional(v.string()),
    toolName: v.optional(v.string()),
    parameters: v.optional(v.record(v.string(), v.unknown())),
    context: v.optional(v.unknown()),
    tools: v.optional(v.pipe(v.array(v.unknown()), v.maxLength(20))),
    executedTools: v.optional(v.pipe(v.array(v.unknown()), v.maxLength(50))),
    denied: v.optional(v.boolean()),
    result: v.optional(v.unknown()),
  }),
};

export function routeExecute(app: Hono<AccessEnv>, parts: Parts) {
  app.post('/v1/bot/chat/execute-tool', takes(executeInput), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    const chat = requireChat(parts, bot, input.chat_id);
    const { executionId, denied, parameters, ...data } = input.execution_data;
    if (Buffer.byteLength(JSON.stringify(data.result) ?? '') > maxResultBytes)
      throw new AgentError(
        400,
        'invalid_parameters',
        `execution_data.result: at most ${maxResultBytes} bytes.`,
      );
    const { turn, toolResult } = resumeTurn(parts, bot, chat, {
      isStaffs: c.get('caller').isStaff,
      executionId,
      denied: denied === true,
      parameters: parameters ?? {},
      ...(data.result === undefined ? {} : { own: { result: data.result } }),
    });
    if (input.stream === true) return toEventStream(turn.reply, c.res.headers);
    const { chat: answer } = await turn.finished;
    return c.json({ success: true, result: { chat: answer, tool_result: toolResult() }, executionId });
  });
}

/** One completion of an OpenAI-compatible host, streamed: its text, its tool calls, its usage. */

import OpenAI from 'openai';
import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { AgentError } from '../errors.ts';
import type { ProviderOptions } from '../options.ts';
import type { Tool } from '../tools.ts';
import type { AnswerPort, AnswerRequest, Usage } from './answerer.ts';
import { createCalls } from './calls.ts';

/** It does not take what it was sent. */
export class HostRefused extends AgentError {}

/** What hosts say of a schema that they do not take, or of too many tools. */
const refusals: readonly unknown[] = [400, 413, 422];

export function toParameters(
  options: ProviderOptions,
  { overrides, tools }: AnswerRequest,
  messages: ChatCompletionMessageParam[],
  offersTools: boolean,
): ChatCompletionCreateParamsStreaming {
  return {
    model: overrides.model ?? options.model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(overrides.temperature === undefined ? {} : { temperature: overrides.temperature }),
    ...(overrides.maxReplyTokens === undefined ? {} : { max_tokens: overrides.maxReplyTokens }),
    ...(offersTools ? { tools: tools.map(toOpenAiTool) } : {}),
  };
}

function toOpenAiTool({ name, description, parameters }: Tool) {
  return { type: 'function' as const, function: { name, description, parameters } };
}

export async function complete(
  client: OpenAI,
  parameters: ChatCompletionCreateParamsStreaming,
  say: (delta: string) => void,
  port: AnswerPort,
  signal: AbortSignal,
  mostCalls: number,
) {
  const calls = createCalls(mostCalls);
  let text = '';
  let usage: Usage | undefined;
  try {
    for await (const chunk of await client.chat.completions.create(parameters, { signal })) {
      if (chunk.usage) usage = chunk.usage;
      const delta = chunk.choices[0]?.delta;
      if (!delta) continue;
      // Several hosts stream a model's reasoning under this name.
      const reasoning = (delta as { reasoning_content?: unknown }).reasoning_content;
      if (typeof reasoning === 'string' && reasoning !== '') port.reasoning(reasoning);
      if (delta.content) {
        text += delta.content;
        say(delta.content);
      }
      for (const piece of delta.tool_calls ?? []) calls.read(piece);
    }
  } catch (thrown) {
    if (signal.aborted || thrown instanceof AgentError) throw thrown;
    const status =
      thrown instanceof OpenAI.APIError && thrown.status
        ? ` answered ${thrown.status}`
        : ' could not be reached';
    const isRefused = thrown instanceof OpenAI.APIError && refusals.includes(thrown.status);
    throw new (isRefused ? HostRefused : AgentError)(502, 'provider_error', `The model provider${status}.`);
  }
  return { text, calls: calls.end(), usage };
}

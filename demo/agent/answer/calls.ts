/** Puts together the calls of tools that a host streams in pieces. */

import { randomUUID } from 'node:crypto';
import type {
  ChatCompletionChunk,
  ChatCompletionMessageFunctionToolCall as ToolCall,
} from 'openai/resources/chat/completions';
import { AgentError } from '../errors.ts';

/** Of one message; what it asks for beyond is not done. */
const mostCalls = 32;
/** Of all of them: twice what a file may hold. */
const mostArgumentChars = 2 * 1_048_576;
const longestId = 100;

type Piece = ChatCompletionChunk.Choice.Delta.ToolCall;

export function createCalls() {
  /** In the order in which they began. */
  const calls: ToolCall[] = [];
  const byIndex = new Map<unknown, ToolCall>();
  let latest: ToolCall | undefined;
  let chars = 0;

  /** Some hosts give no index, some the same to all, and some another id to each piece. */
  const findBegun = ({ index, id, function: part }: Piece): ToolCall | undefined => {
    const found = typeof index === 'number' ? byIndex.get(index) : latest;
    return found && id && part?.name && found.id !== id && found.function.name ? undefined : found;
  };

  return {
    read(piece: Piece): void {
      const { index, id, function: part } = piece;
      let call = findBegun(piece);
      if (!call) {
        // Beyond the bound too, so that its pieces are nobody else's.
        call = { id: id || `call_${randomUUID()}`, type: 'function', function: { name: '', arguments: '' } };
        if (calls.length < mostCalls) calls.push(call);
        byIndex.set(index, call);
      }
      latest = call;
      if (!calls.includes(call)) return;
      call.function.name += part?.name ?? '';
      call.function.arguments += part?.arguments ?? '';
      chars += (part?.name?.length ?? 0) + (part?.arguments?.length ?? 0);
      if (chars > mostArgumentChars)
        throw new AgentError(502, 'provider_error', 'The model asked tools for too much at once.');
    },
    end: (): ToolCall[] =>
      calls.map((call) => (call.id.length > longestId ? { ...call, id: `call_${randomUUID()}` } : call)),
  };
}

/** As it is told again: hosts refuse what is no name, or no JSON object. */
export function toToldCall(call: ToolCall): ToolCall {
  const { name, arguments: text } = call.function;
  return {
    ...call,
    function: {
      name: /^[\w-]{1,64}$/.test(name) ? name : 'unknown',
      arguments:
        text === '' ? '{}' : readArguments(text) ? text : JSON.stringify({ error: 'no JSON object' }),
    },
  };
}

/** @returns undefined for what is no JSON object */
export function readArguments(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

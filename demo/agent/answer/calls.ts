/** Puts together the calls of tools that a host streams in pieces. */

import { randomUUID } from 'node:crypto';
import type {
  ChatCompletionChunk,
  ChatCompletionMessageFunctionToolCall as ToolCall,
} from 'openai/resources/chat/completions';
import { AgentError } from '../errors.ts';

/** Of all of a message: twice what a file may hold. */
const mostArgumentChars = 2 * 1_048_576;
const fitId = /^[\w.:-]{1,100}$/;

type Piece = ChatCompletionChunk.Choice.Delta.ToolCall;

/** @param most of one message; what it asks for beyond is not done */
export function createCalls(most: number) {
  /** In the order in which they began. */
  const calls: ToolCall[] = [];
  const byIndex = new Map<unknown, ToolCall>();
  let latest: ToolCall | undefined;
  let chars = 0;

  /** Some hosts give no index, or the same to all; some no id, or another to each piece; some the name again. */
  const findBegun = ({ index, id, function: part }: Piece): ToolCall | undefined => {
    const isIndexed = typeof index === 'number';
    const named = id
      ? calls.find((call) => call.id === id && (!isIndexed || byIndex.get(index) === call))
      : undefined;
    const found = named ?? (isIndexed ? byIndex.get(index) : latest);
    if (!found || !part?.name || found.function.name === '') return found;
    const { arguments: text } = found.function;
    if (text !== '' && readArguments(text)) return undefined;
    const isOther = id && id !== found.id && (!isIndexed || text === '');
    return isOther ? undefined : found;
  };

  return {
    read(piece: Piece | null): void {
      if (typeof piece !== 'object' || piece === null) return;
      const { index, id, function: part } = piece;
      const name = typeof part?.name === 'string' ? part.name : '';
      // Some hosts give them as what they are.
      const given: unknown = part?.arguments ?? '';
      const text = typeof given === 'string' ? given : JSON.stringify(given);
      let call = findBegun(piece);
      if (!call) {
        // Beyond the bound too, so that its pieces are nobody else's.
        call = { id: id || toId(), type: 'function', function: { name: '', arguments: '' } };
        if (calls.length < most) calls.push(call);
        if (typeof index === 'number') byIndex.set(index, call);
      }
      latest = call;
      if (!calls.includes(call)) return;
      if (name !== call.function.name) call.function.name += name;
      call.function.arguments += text;
      chars += name.length + text.length;
      if (chars > mostArgumentChars)
        throw new AgentError(502, 'provider_error', 'The model asked tools for too much at once.');
    },
    end(): ToolCall[] {
      const ids = new Set<string>();
      return calls.map((call) => {
        const id = typeof call.id === 'string' && fitId.test(call.id) && !ids.has(call.id) ? call.id : toId();
        ids.add(id);
        return { ...call, id };
      });
    },
  };
}

const toId = () => `call_${randomUUID()}`;

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

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
  const byKey = new Map<string, ToolCall>();
  let latest: ToolCall | undefined;
  let chars = 0;

  /**
   * Some hosts give no index, or the same to all; some no id, or another to each piece; some the name in each, or in
   * parts. Where two calls and one cannot be told apart it is one: nothing is done twice.
   */
  const findBegun = ({ key, id, name, text }: Read): ToolCall | undefined => {
    const before = key === undefined ? latest : byKey.get(key);
    const named = id ? calls.find((call) => call.id === id) : undefined;
    const found = named && (key === undefined || named === before) ? named : before;
    if (!found || name === '' || found.function.name === '') return found;
    const isOthers = id !== '' && id !== found.id;
    if (name !== found.function.name) {
      const isPart = found.function.arguments === '' && !isOthers && (key !== undefined || found === named);
      return isPart ? found : undefined;
    }
    if (found === named) return found;
    const begun = found.function.arguments;
    if (isOthers) return key !== undefined && begun !== '' && !isWhole(begun) ? found : undefined;
    return text === '' || text === begun || begun === '{}' || !isWhole(begun) ? found : undefined;
  };

  return {
    read(piece: Piece | null): void {
      if (typeof piece !== 'object' || piece === null) return;
      const read = toRead(piece);
      const { key, id, name, text } = read;
      let call = findBegun(read);
      if (!call) {
        // Beyond the bound too, so that its pieces are nobody else's.
        call = { id: id || toId(), type: 'function', function: { name: '', arguments: '' } };
        if (calls.length < most) calls.push(call);
        if (key !== undefined) byKey.set(key, call);
      }
      latest = call;
      if (!calls.includes(call)) return;
      const { function: called } = call;
      if (name !== called.name) called.name += name;
      // Said once more, or in the place of what stood for nothing yet.
      const isAgain =
        (called.arguments === '{}' && text.trim() !== '') || (called.arguments === text && isWhole(text));
      called.arguments = isAgain ? text : called.arguments + text;
      chars += name.length + text.length;
      if (chars > mostArgumentChars)
        throw new AgentError(502, 'provider_error', 'The model asked tools for too much at once.');
    },
    end(): ToolCall[] {
      const ids = new Set<string>();
      return calls.map((call) => {
        const id = fitId.test(call.id) && !ids.has(call.id) ? call.id : toId();
        ids.add(id);
        return { ...call, id };
      });
    },
  };
}

type Read = { key: string | undefined; id: string; name: string; text: string };

function toRead({ index, id, function: part }: Piece): Read {
  // Some hosts give them as what they are.
  const given: unknown = part?.arguments ?? '';
  return {
    key: typeof index === 'number' || typeof index === 'string' ? String(index) : undefined,
    id: typeof id === 'string' ? id : '',
    name: typeof part?.name === 'string' ? part.name : '',
    text: typeof given === 'string' ? given : JSON.stringify(given),
  };
}

const isWhole = (text: string) => text.trimEnd().endsWith('}') && readArguments(text) !== undefined;

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

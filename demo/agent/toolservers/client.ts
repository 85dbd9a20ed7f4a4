/** Asks a tool server over MCP: what it offers, and to do it. Nothing that it says is believed further than that. */

import { setImmediate as breathe } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import * as v from 'valibot';
import { thatFit } from '../answer/room.ts';
import { ReplyTooLarge, type ToolOutcome, type ToolParameters } from '../tools.ts';
import { type Bounds, type ServerPlace, Unusable, withClient } from './connection.ts';
import { type OfferedTool, toOfferedTool, toOutcome, toSaid, withoutSecrets } from './said.ts';

const [listMs, callMs] = [10_000, 30_000];
/** Those that no model could be offered are among them. */
const mostLooked = 500;
const [mostTools, mostPages] = [100, 10];
/** Of all that one server offers, as they are kept. */
const mostToolsBytes = 256 * 1024;
/** Of why it refuses a call. */
const mostSaid = 1_000;

export function createToolServerClient() {
  const closing = new AbortController();
  const toLimits = (signal: AbortSignal, ms: number) => ({ signal, ms, closing: closing.signal });

  return {
    /** Throws an Error whose message says why not. */
    async list(
      place: ServerPlace,
      signal = closing.signal,
    ): Promise<{ tools: OfferedTool[]; leftOut: number }> {
      try {
        const tools = await withClient(place, toLimits(signal, listMs), listAll);
        const named = new Map<string, OfferedTool>();
        for (const said of tools.slice(0, mostLooked)) {
          const tool = tryToOffer(said, place);
          if (tool) named.set(tool.name, tool);
          // Others have the event loop in between.
          await breathe();
        }
        const kept = thatFit([...named.values()].slice(0, mostTools), mostToolsBytes, toBytes);
        return { tools: kept, leftOut: tools.length - kept.length };
      } catch (thrown) {
        throw new Error(toReason(thrown, listMs));
      }
    },

    /** What goes wrong is told to the model. Throws only why `signal` aborts. */
    async call(
      place: ServerPlace,
      name: string,
      parameters: ToolParameters,
      signal: AbortSignal,
    ): Promise<ToolOutcome> {
      try {
        return await withClient(place, toLimits(signal, callMs), async (client, options) =>
          withoutSecrets(place, toOutcome(await client.callTool({ name, arguments: parameters }, options))),
        );
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        const { message } = thrown as Error;
        // What it says of the arguments is for who gave them: as data, as a result would be.
        const said = isRefusal(thrown) ? { said: toSaid(place, message, mostSaid) } : {};
        return { ok: false, result: { error: toReason(thrown, callMs), ...said } };
      }
    },

    /** What is asked is given up. */
    close() {
      closing.abort(new Unusable('The service ends.'));
    },
  };
}

const toBytes = (tool: OfferedTool) => Buffer.byteLength(JSON.stringify(tool));

/** One that is too deep to be read is none. */
function tryToOffer(said: unknown, place: ServerPlace): OfferedTool | undefined {
  try {
    return toOfferedTool(said, place);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

export type ToolServerClient = ReturnType<typeof createToolServerClient>;

/** One by one: a tool that is none takes no other with it. */
async function listAll(client: Client, options: Bounds): Promise<unknown[]> {
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, toolPage, options);
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) return tools;
  }
  throw new Unusable(`The tool server has more than ${mostPages} pages of tools.`);
}

const toolPage = v.object({ tools: v.array(v.unknown()), nextCursor: v.optional(v.string()) });

/** By JSON-RPC: the server did answer. */
const isRefusal = (thrown: unknown) =>
  !(thrown instanceof DOMException) && typeof (thrown as { code?: unknown }).code === 'number';

/** In words of our own: what a server says of its failure may hold anything. */
function toReason(thrown: unknown, ms: number): string {
  if (thrown instanceof ReplyTooLarge || thrown instanceof Unusable) return thrown.message;
  const { name, code, data } = thrown as { name?: string; code?: unknown; data?: { status?: unknown } };
  if (name === 'TimeoutError' || code === 'REQUEST_TIMEOUT')
    return `The tool server did not answer within ${ms / 1000} s.`;
  if (isRefusal(thrown)) return `The tool server refuses this (${code}).`;
  if (typeof data?.status === 'number') return `The tool server answered ${data.status}.`;
  return 'The tool server does not answer as one.';
}

/** Addresses that others than the project's owner name: public ones only, checked as they are connected to. */

import { lookup as resolve } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { Agent, type RequestInit, type Response, fetch as send } from 'undici';
import { withDeadline } from './deadline.ts';
import { AgentError } from './errors.ts';
import { withoutZero } from './text.ts';

const timeoutMs = 10_000;

const blocked = new BlockList();
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  blocked.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  blocked.addSubnet(address, bits, 'ipv6');
/** Of IPv6 all else is nobody's, or an IPv4 address in other clothes. */
const assigned = new BlockList();
assigned.addSubnet('2000::', 3, 'ipv6');

/** Whether anybody may reach it. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !blocked.check(address, 'ipv4');
  return family === 6 && assigned.check(address, 'ipv6') && !blocked.check(address, 'ipv6');
}

class NotAllowed extends Error {}

/** @param privateHosts `host:port` of private addresses that are meant */
export function createOutgoing(privateHosts: readonly string[]) {
  const exceptions = privateHosts.map((one) => one.replace(/^\[(.*)\](?=:\d+$)/, '$1'));
  const guarded = new Agent({
    connect: {
      lookup: (host, options, done) =>
        resolve(host, { ...options, all: true }, (error, addresses) => {
          if (error) return done(error, '', 0);
          // One private address among several is enough: the next try could take it.
          if (!addresses.every(({ address }) => isPublic(address))) return done(new NotAllowed(), '', 0);
          return options.all
            ? (done as unknown as (e: null, all: typeof addresses) => void)(null, addresses)
            : done(null, addresses[0]!.address, addresses[0]!.family);
        }),
    },
  });

  /** Throws what the connection throws, and 400 `address_not_allowed`. */
  async function reach(address: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const url = new URL(address);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    const isExcepted = exceptions.includes(`${host}:${port}`);
    const notAllowed = new AgentError(400, 'address_not_allowed', 'This address is not to be reached.');
    if (!/^https?:$/.test(url.protocol) || (!isExcepted && isIP(host) !== 0 && !isPublic(host)))
      throw notAllowed;
    try {
      return await send(url, {
        ...init,
        signal,
        ...(isExcepted ? {} : { dispatcher: guarded }),
      });
    } catch (thrown) {
      throw (thrown as Error).cause instanceof NotAllowed ? notAllowed : thrown;
    }
  }

  return {
    /** 400 `address_not_allowed` or `code`; redirects are not followed. */
    async fetch(address: string, maxBytes: number, code: string, signal: AbortSignal): Promise<Buffer> {
      try {
        const bytes = await withDeadline(signal, timeoutMs, async (limit) => {
          const response = await reach(address, { redirect: 'error' }, limit);
          if (!response.ok) throw new Error(String(response.status));
          return readUpTo(response, maxBytes + 1);
        });
        if (bytes.length > maxBytes) throw new Error('too large');
        return bytes;
      } catch (thrown) {
        if (signal.aborted || thrown instanceof AgentError) throw thrown;
        throw new AgentError(400, code, 'What stands at the address could not be had.');
      }
    },

    /** Any status; of the answer its first bytes. A redirect is one. 400 `address_not_allowed`, `invalid_request`; 502 `unreachable`, `timeout`. */
    async call(
      address: string,
      init: { method: string; headers: Record<string, string>; body: string | undefined },
      maxBytes: number,
      signal: AbortSignal,
    ): Promise<{ status: number; ok: boolean; text: string }> {
      const { method, headers, body = null } = init;
      try {
        return await withDeadline(signal, timeoutMs, async (limit) => {
          const response = await reach(address, { method, headers, body, redirect: 'manual' }, limit);
          const bytes = await readUpTo(response, maxBytes);
          const text = withoutZero(new TextDecoder().decode(bytes));
          return { status: response.status, ok: response.ok, text };
        });
      } catch (thrown) {
        if (signal.aborted || thrown instanceof AgentError) throw thrown;
        const { name, cause } = thrown as Error;
        if (name === 'TimeoutError')
          throw new AgentError(502, 'timeout', 'The address did not answer in time.');
        // What fetch itself refuses has no cause of a connection, or undici's own.
        const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
        if (name === 'TypeError' && (code === undefined || refusedByClient.has(code)))
          throw new AgentError(400, 'invalid_request', 'The request is not as it should be.');
        throw new AgentError(502, 'unreachable', 'The address could not be reached.');
      }
    },
    async close() {
      if (!guarded.closed && !guarded.destroyed) await guarded.close();
    },
  };
}

/** Headers that stand for the connection itself, or belie the body. */
const refusedByClient: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

/** What comes after is not awaited. */
async function readUpTo({ body }: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk as Uint8Array);
    length += (chunk as Uint8Array).byteLength;
    if (length >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

export type Outgoing = ReturnType<typeof createOutgoing>;

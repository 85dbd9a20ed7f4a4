/** One connection to Redis, over which the store's script is run: nothing waits for ever, and a lost connection is made anew. Node only. */
import { createClient, ErrorReply } from '@redis/client';
import { sleep, within } from '../../within.ts';
import { StoreBusy } from '../store.ts';
import { script } from './script.ts';

export type Connection = {
  /** @throws StoreBusy when Redis does not answer in time; what it was told it may have done */
  run(method: string, given: object, now: number): Promise<unknown>;
  close(): Promise<void>;
};

const longestWaitMs = 5_000;
const [firstWaitMs, mostWaitMs] = [50, 2_000];
/** Beyond them a call is refused at once: they wait for a Redis that does not answer. */
const mostQueued = 10_000;

/**
 * @param url `redis://` or `rediss://`, with user and password where they are needed, and the number of the database
 * @param prefix of all keys
 * @throws TypeError for what is no such address
 */
export function openConnection(url: string, prefix: string): Connection {
  const client = createClient({
    url,
    name: 'porchlight',
    commandsQueueMaxLength: mostQueued,
    // What was not sent by then never is: it was told as failed.
    commandOptions: { timeout: longestWaitMs },
    // One that is dead without a word is found out.
    pingInterval: 10_000,
    socket: {
      connectTimeout: longestWaitMs,
      socketTimeout: 30_000,
      reconnectStrategy: (tries) => Math.min(mostWaitMs, firstWaitMs * 2 ** Math.min(tries, 10)),
    },
  });
  /** Why there is no connection: a wrong password, say. */
  let lost: unknown;
  client.on('error', (error) => {
    lost = error;
  });
  client.on('ready', () => {
    lost = undefined;
  });
  let opening: Promise<unknown> | undefined;
  let sha: string | undefined;
  let isClosed = false;

  const evaluate = async (args: { keys: string[]; arguments: string[] }) => {
    opening ??= client.connect();
    await opening;
    if (sha === undefined) sha = await client.scriptLoad(script);
    try {
      return await client.evalSha(sha, args);
    } catch (error) {
      // It was restarted, or another is at its place.
      if (!(error instanceof ErrorReply) || !error.message.startsWith('NOSCRIPT')) throw error;
      return client.eval(script, args);
    }
  };
  return {
    async run(method, given, now) {
      if (isClosed) throw new Error('The store is closed');
      // A name in braces is what a cluster goes by: all keys lie together.
      const args = { keys: [`{${prefix}}`], arguments: [method, JSON.stringify(given), String(now)] };
      const until = performance.now() + longestWaitMs;
      for (;;) {
        try {
          const reply = await within(evaluate(args), Math.max(1, until - performance.now()));
          return typeof reply === 'string' ? JSON.parse(reply) : undefined;
        } catch (error) {
          const reason = toReason(error) ?? toReason(lost);
          // It does not have its data yet, or another script runs: nothing was done.
          const isPassing = reason === 'LOADING' || reason === 'BUSY' || reason === 'TRYAGAIN';
          if (isPassing && performance.now() < until) {
            await sleep(firstWaitMs);
            continue;
          }
          throw toStoreError(error, reason);
        }
      }
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      opening?.catch(() => {});
      if (client.isReady) await within(client.close(), longestWaitMs).catch(() => client.destroy());
      else if (client.isOpen) client.destroy();
    },
  };
}

const toReason = (error: unknown): string | undefined =>
  error instanceof ErrorReply ? error.message.split(' ')[0] : undefined;

/** With a code for the log and `/readyz`, such as `REDIS_READONLY`, and none of the server's words, which may repeat what it was sent. */
function toStoreError(error: unknown, reason: string | undefined): Error {
  if (reason === undefined) return new StoreBusy('Redis does not answer');
  const code = /^[A-Z]{2,20}$/.test(reason) ? `REDIS_${reason}` : 'REDIS_ERR';
  return Object.assign(new Error('Redis refused a call', { cause: error }), { code });
}

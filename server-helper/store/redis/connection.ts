/** One connection to Redis, over which the store's script is run: nothing waits for ever, and a lost connection is made anew. Node only. */
import { sleep, within } from '../../within.ts';
import { StoreBusy } from '../store.ts';
import { script } from './script.ts';

export type Connection = {
  /**
   * @param texts given beside, as they are
   * @throws StoreBusy when Redis does not answer in time; what it was told it may have done
   */
  run(method: string, given: object, now: number, texts?: readonly string[]): Promise<unknown>;
  close(): Promise<void>;
};

const longestWaitMs = 5_000;
const [firstWaitMs, mostWaitMs] = [50, 2_000];
/** Beyond them a call is refused at once: they wait for a Redis that does not answer. */
const mostQueued = 10_000;

/**
 * @param url `redis://` or `rediss://`, with user and password where they are needed, and the number of the database
 * @param prefix of all keys
 */
export function openConnection(url: string, prefix: string): Connection {
  let client: Client | undefined;
  let opening: Promise<Client> | undefined;
  /** Why there is no connection: a wrong password, say. */
  let lost: unknown;
  let sha: string | undefined;
  let isClosed = false;

  const open = async (): Promise<Client> => {
    const made = await createClient(url);
    made.on('error', (error) => {
      lost = error;
    });
    made.on('ready', () => {
      lost = undefined;
    });
    client = made;
    if (isClosed) throw new Error('The store is closed');
    await made.connect();
    return made;
  };
  /** The next call makes another. */
  const leave = () => {
    if (client?.isOpen) client.destroy();
    client = opening = undefined;
  };
  const evaluate = async (args: { keys: string[]; arguments: string[] }) => {
    opening ??= open();
    const opened = await opening.catch((error: unknown) => {
      leave();
      throw error;
    });
    sha ??= await opened.scriptLoad(script);
    try {
      return await opened.evalSha(sha, args);
    } catch (error) {
      // It was restarted, or another is at its place.
      if (toReason(error) !== 'NOSCRIPT') throw error;
      return opened.eval(script, args);
    }
  };
  return {
    async run(method, given, now, texts = []) {
      if (isClosed) throw new Error('The store is closed');
      const args = {
        keys: [toRoot(prefix)],
        arguments: [method, JSON.stringify(given), String(now), ...texts],
      };
      const until = performance.now() + longestWaitMs;
      for (;;) {
        try {
          const reply = await within(evaluate(args), Math.max(1, until - performance.now()));
          return typeof reply === 'string' ? JSON.parse(reply) : undefined;
        } catch (error) {
          const reason = toReason(error) ?? toReason(lost);
          // Another is the primary by now, perhaps, and is found at the same address.
          if (reason === 'READONLY') leave();
          // It does not have its data yet, or another script runs: nothing was done.
          const isPassing = reason === 'LOADING' || reason === 'BUSY' || reason === 'TRYAGAIN';
          if (!isPassing || performance.now() > until) throw toStoreError(error, reason);
          await sleep(firstWaitMs);
        }
      }
    },
    async close() {
      isClosed = true;
      if (client?.isReady) await within(client.close(), longestWaitMs).catch(() => {});
      opening?.catch(() => {});
      leave();
    },
  };
}

/** A name in braces is what a cluster goes by, and all keys lie together there. */
export const toRoot = (prefix: string): string => `{${prefix}}`;

export type Client = Awaited<ReturnType<typeof createClient>>;

/** Loaded where Redis is used: it takes 20 MB. */
export async function createClient(url: string) {
  const redis = await import('@redis/client');
  return redis.createClient({
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
}

/** The first word of what Redis answers a call with that it refuses. */
function toReason(error: unknown): string | undefined {
  const [, reason] = (error instanceof Error && /^([A-Z]{2,20}) /.exec(error.message)) || [];
  return reason;
}

/** With a code for the log and `/readyz`, such as `REDIS_READONLY`, and none of the server's words, which may repeat what it was sent. */
function toStoreError(error: unknown, reason: string | undefined): Error {
  if (reason === undefined) return new StoreBusy('Redis does not answer');
  return Object.assign(new Error('Redis refused a call', { cause: error }), { code: `REDIS_${reason}` });
}

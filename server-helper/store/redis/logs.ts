/** Turns' logs as streams of Redis: written by the script, read by one call that waits for all that this process follows. Node only. */
import { sleep } from '../../within.ts';
import type { LogKey, SharedLogs } from '../shared-logs.ts';
import { type Client, type Connection, createClient, toRoot } from './connection.ts';

type Followed = { key: string; at: string; takers: Set<(events: string) => void> };
type Read = { name: string; messages: { id: string; message: Record<string, string> }[] };

/** So long one call waits. */
const blockMs = 2_000;
const gatherMs = 20;
const [firstWaitMs, mostWaitMs] = [50, 2_000];
/** Entries of one stream in one reply. */
const mostEntries = 256;

export function createLogs(
  url: string,
  prefix: string,
  connection: Pick<Connection, 'run'>,
  now: () => number,
): SharedLogs & { close(): Promise<void> } {
  const reader = crypto.randomUUID();
  const root = toRoot(prefix);
  const wakeKey = `${root}:wake:${reader}`;
  const followed = new Map<string, Followed>();
  let wokenAt = '0';
  let client: Client | undefined;
  let isReading = false;
  let isClosed = false;

  const toKey = ({ conversationId, id, teller }: LogKey) => `${root}:log:${conversationId}:${id}:${teller}`;
  /** What is followed from now on is asked for by the call after the one that waits. */
  const wake = () => connection.run('wake', { reader }, now()).catch(() => {});
  const take = ({ name, messages }: Read) => {
    const last = messages.at(-1)?.id;
    if (last === undefined) return;
    if (name === wakeKey) wokenAt = last;
    const log = followed.get(name);
    if (!log) return;
    log.at = last;
    const events = messages.map(({ message }) => message.events ?? '').join('');
    for (const taker of log.takers) taker(events);
  };
  const makeClient = async () => {
    const made = await createClient(url);
    // Its calls say what is wrong.
    made.on('error', () => {});
    return made;
  };
  const readOn = async () => {
    isReading = true;
    let tries = 0;
    while (followed.size > 0 && !isClosed) {
      try {
        client ??= await makeClient();
        if (!client.isOpen) await client.connect();
        const streams = [...followed.values()].map(({ key, at }) => ({ key, id: at }));
        const options = { BLOCK: blockMs, COUNT: mostEntries };
        const read = await client.xRead([{ key: wakeKey, id: wokenAt }, ...streams], options);
        tries = 0;
        for (const one of (read ?? []) as Read[]) take(one);
        // What comes meanwhile comes together: each call names all that is followed.
        await sleep(gatherMs);
      } catch {
        await sleep(Math.min(mostWaitMs, firstWaitMs * 2 ** Math.min(tries, 10)));
        tries += 1;
      }
    }
    isReading = false;
  };

  return {
    async tell(runner, tellings) {
      const given = tellings.map(({ conversationId, id, teller, from, next }) => ({
        ...{ conversationId, id, teller, from: `${from}`, next: `${next}` },
      }));
      const texts = tellings.map(({ events }) => events);
      const stands = await connection.run('tell', { runner, tellings: given }, now(), texts);
      return (stands as (string | false)[]).map((one) => (one === false ? undefined : Number(one)));
    },
    async read(log, from) {
      return (await connection.run('readLog', { ...log, from: `${from}` }, now())) as string;
    },
    follow(log, from, onEvents) {
      const key = toKey(log);
      const known = followed.get(key);
      const one = known ?? { key, at: `${from}`, takers: new Set() };
      if (known && Number.parseInt(known.at, 10) > from) known.at = `${from}`;
      one.takers.add(onEvents);
      followed.set(key, one);
      void (isReading ? wake() : readOn());
      return () => {
        one.takers.delete(onEvents);
        if (one.takers.size === 0) followed.delete(key);
      };
    },
    async close() {
      isClosed = true;
      followed.clear();
      if (client?.isOpen) client.destroy();
    },
  };
}

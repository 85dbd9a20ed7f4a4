/** A store in Redis or Valkey, which the helpers of many machines share. Node only. */
import { keepText, readText } from '../kept-text.ts';
import {
  blankTurn,
  type Deleted,
  type Leftover,
  type Store,
  type Tally,
  type TurnRecord,
  toOwnerKeys,
} from '../store.ts';
import { openConnection } from './connection.ts';
import { createLogs } from './logs.ts';

export type RedisStoreOptions = {
  /** Of all keys; default `porchlight`. Two sites with one Redis have one each. */
  prefix?: string;
  /** Ms since 1970. The clocks of all machines have to agree within two seconds. */
  now?: () => number;
};

/** What a record may lack. */
const noConversation = { workspace: undefined, workspaceOf: undefined };
const noTurn = {
  ...blankTurn,
  runner: undefined,
  leaseUntil: undefined,
  teller: undefined,
  attached: undefined,
};

/** As the script gives it: what is absent is undefined. */
type Row = Record<string, string>;

const numbers = new Set(['createdAt', 'updatedAt', 'at', 'endedAt', 'leaseUntil', 'tries', 'hour', 'count']);

/**
 * @param url such as `redis://user:password@host:6379/0`, or `rediss:` over TLS, with `?prefix=` where that is no option. It
 * connects at the first call.
 * @throws TypeError for what is no such address
 */
export function createRedisStore(url: string, { prefix, now = Date.now }: RedisStoreOptions = {}): Store {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (!address || !/^rediss?:$/.test(address.protocol))
    throw new TypeError('store must be a URL that begins with redis:// or rediss://');
  const name = prefix ?? address.searchParams.get('prefix') ?? 'porchlight';
  if (!/^[\w.-]{1,100}$/.test(name))
    throw new TypeError('prefix must be letters, digits, dots, - and _, at most 100');
  address.search = '';
  const connection = openConnection(address.href, name);
  const run = async <T>(method: string, given: object = {}): Promise<T> =>
    toPlain(await connection.run(method, toKept(given) as object, now())) as T;
  const list = async <T>(method: string, given: object): Promise<T[]> => {
    const found = await run<T[]>(method, given);
    // An empty list is an empty object to Lua.
    return Array.isArray(found) ? found : [];
  };
  const write = async (method: string, given: object): Promise<void> => void (await run(method, given));
  const logs = createLogs(address.href, name, connection, now);
  const setTurn = (conversationId: string, id: string, change: Partial<TurnRecord>) =>
    run<TurnRecord['vote']>('setTurn', { conversationId, id, change: toChange(change) });

  return {
    beginTurn: (conversation, turn) => run('beginTurn', { conversation, turn }),
    findConversation: (id) => run('findConversation', { id }),
    listConversations: (owner, bot, page) => list('listConversations', { owner, bot, ...page }),
    updateConversation: (id, change) => write('updateConversation', { id, change }),
    pinWorkspace: (id, workspace, workspaceOf, instead) =>
      run('pinWorkspace', { id, workspace, workspaceOf, instead }),
    deleteConversation: (id) => run<Deleted | undefined>('deleteConversation', { id }),
    eraseOwner: (owner, bot) =>
      list<Deleted>('eraseOwner', { owner, bot, facts: Object.values(toOwnerKeys(owner, bot)) }),

    putLeftovers: (leftovers) => write('putLeftovers', { leftovers }),
    listLeftovers: (bot, limit) => list<Leftover>('listLeftovers', { bot, limit }),
    leftoverDone: ({ kind, id }) => write('leftoverDone', { kind, id }),
    leftoverTried: ({ kind, id }, nextAt) => write('leftoverTried', { kind, id, nextAt }),

    findTurn: (conversationId, id) => run('findTurn', { conversationId, id }),
    listTurns: (conversationId, page) => list('listTurns', { conversationId, ...page }),
    forgetTexts: (conversationId, ids) => write('forgetTexts', { conversationId, ids }),
    findLiveTurn: (conversationId) => run('findLiveTurn', { conversationId }),
    voteTurn: (conversationId, id, vote) => setTurn(conversationId, id, { vote }),
    async setTeller(conversationId, id, teller) {
      await setTurn(conversationId, id, { teller });
    },
    async setEarlier(conversationId, id, earlier) {
      await setTurn(conversationId, id, { earlier });
    },
    endTurn: (conversationId, id, change, from) =>
      run('endTurn', { conversationId, id, change: toChange(change), from }),
    resumeTurn: (conversationId, id, { runner, until }, by = {}) =>
      run('resumeTurn', { conversationId, id, runner, leaseUntil: until, ...by }),
    takeTurn: (conversationId, id, { runner, until }) =>
      run('takeTurn', { conversationId, id, runner, leaseUntil: until }),
    renewTurns: ({ runner, until }) => list('renewTurns', { runner, leaseUntil: until }),
    releaseTurns: (runner) => write('releaseTurns', { runner }),
    dropTurnsFrom: (conversationId, id, keepId) => write('dropTurnsFrom', { conversationId, id, keepId }),

    mergeOwner: (from, to) => run('mergeOwner', { from, to }),
    isMerged: (owner) => run('isMerged', { owner }),
    remember: (key, value, ttlMs) => run('remember', { key, value, ttlMs }),
    replace: (key, value, ttlMs) => write('replace', { key, value, ttlMs }),
    recall: (key) => run('recall', { key }),
    forget: (key, only) => write('forget', { key, only }),

    addTallies: (bot, tallies, keptFrom) => write('addTallies', { bot, tallies, keptFrom }),
    readTallies: (bot, fromHour) => list<Tally>('readTallies', { bot, fromHour }),
    purge: (bot, before, limit) => run('purge', { bot, before, limit }),
    check: () => write('check', {}),
    logs,
    limits: {
      async take(buckets, counts) {
        const taken = await run<Record<'waits' | 'counts', string[]>>('takeLimits', { buckets, counts });
        return { waits: toNumbers(taken.waits), counts: toNumbers(taken.counts) };
      },
      giveBack: (buckets, counts) => write('giveBack', { buckets, counts }),
    },
    async close() {
      await logs.close();
      await connection.close();
    },
  };
}

const toNumbers = (texts: unknown) => (Array.isArray(texts) ? texts.map(Number) : []);

/** What is to be absent is named. */
const toChange = (change: object) =>
  Object.fromEntries(Object.entries(change).map(([field, value]) => [field, value ?? null]));

/** Redis keeps texts alone. */
function toKept(value: unknown): unknown {
  if (typeof value === 'string') return keepText(value);
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(toKept);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, toKept(one)]));
  return value;
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'string') return readText(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const row = Object.fromEntries(
    Object.entries(value as Row).map(([field, one]) => [
      field,
      numbers.has(field) && typeof one === 'string' ? Number(one) : toPlain(one),
    ]),
  );
  if ('fingerprint' in row) return { ...noTurn, ...row };
  return 'chatId' in row ? { ...noConversation, ...row } : row;
}

/** Reads a conversation a page at a time, the newest first, from the agent's record and what never reached it. */
import type { AgentConversations } from '../agent/conversation.ts';
import { type Log, toLogFields } from '../log.ts';
import { limits, type Message } from '../protocol/wire.ts';
import type { ConversationRecord, Store, TurnRecord } from '../store/store.ts';
import { lateMs } from './earlier.ts';
import { type Entry, toEntries } from './history.ts';
import { readExchanges } from './readback.ts';

/** Where an older page ends: before this index of the record, and before this time. */
export type Cursor = { index: number; until: number };

export type ConversationPage = {
  messages: Message[];
  next: Cursor | undefined;
  /** What runs or waits, as these messages were told with it: `liveTurn` of the newest page. */
  live: TurnRecord | undefined;
};

/** Of turns that never reached the record there may be any number: so many are looked at for one page. */
const maxTurns = 100;

/** @param size messages of the record that one page is made of */
export async function readPage(
  parts: { store: Store; conversations: AgentConversations; log: Log },
  { id, chatId }: Pick<ConversationRecord, 'id' | 'chatId'>,
  cursor: Cursor | undefined,
  size: number = limits.pageSize,
): Promise<ConversationPage> {
  const until = cursor?.until ?? Number.MAX_SAFE_INTEGER;
  const list = () => parts.store.listTurns(id, { before: until, limit: maxTurns });
  const read = () => readExchanges(parts.conversations, chatId, size, cursor?.index);
  const [before, first] = await Promise.all([list(), read()]);
  let page = first;
  // What was asked while the record was read may stand in it.
  let now = await list();
  // One that ended meanwhile may be kept by the record alone, which was read too early for it.
  const hadEnded = new Set(before.filter(({ status }) => status === 'completed').map(({ id }) => id));
  if (now.some((turn) => isKeptThere(turn) && !hadEnded.has(turn.id))) {
    page = await read();
    now = await list();
  }
  const own = withWords(now, before);
  // The page before may begin with what was written down late: what was asked after that is recorded here.
  const after = cursor ? await parts.store.listTurns(id, { before: until + lateMs, limit: maxTurns }) : [];
  const live = own.findLast(({ status }) => status === 'running' || status === 'paused');
  const turns = [...own, ...after.filter(({ at }) => at >= until)];
  const oldestAt = own.length === maxTurns ? (own[0]?.at ?? 0) : 0;
  // A page of nothing before which there is said to be more: the agent's count is wrong.
  const isWhole = page.from === 0 || page.held === 0;
  const all = toEntries(page.messages, turns, (oldest) => {
    const from = isWhole ? 0 : (oldest?.at ?? 0);
    return { from: Math.max(from, oldestAt), until };
  });
  await forgetTexts(parts, id, all);
  const kept = takeNewest(all, oldestAt, 2 * size);
  const cut = all.slice(0, all.length - kept.length);
  const messages = kept.flatMap((entry) => entry.messages);
  const firstAt = kept[0]?.at ?? (oldestAt > 0 ? oldestAt : until);
  if (cut.length > 0) {
    // What was written down late stands among what is kept: twice at most, and never not at all.
    const ends = Math.max(...cut.map((entry) => entry.ends));
    // All that stands under one question is of one page: which of it is whose is told from the whole.
    const asked = page.messages.findIndex(({ role }, index) => index >= ends && role === 'visitor');
    const index = page.indices[asked] ?? cursor?.index ?? page.total;
    return { messages, next: { index, until: firstAt }, live };
  }
  const hasOlder = !isWhole || oldestAt > 0;
  return {
    messages,
    live,
    next: hasOlder ? { index: isWhole ? 0 : page.from, until: Math.min(firstAt, until) } : undefined,
  };
}

/** Another reader may have seen more of the record meanwhile, and let words go that this one's record does not hold. */
function withWords(turns: readonly TurnRecord[], before: readonly TurnRecord[]): TurnRecord[] {
  const ended = before.filter(({ status }) => status === 'completed');
  const words = new Map(ended.map(({ id, question, answer }) => [id, { question, answer }]));
  return turns.map((turn) => (isKeptThere(turn) ? { ...turn, ...words.get(turn.id) } : turn));
}

/** Its words were let go here, since the record was seen to hold them. */
function isKeptThere({ status, answer }: TurnRecord): boolean {
  return status === 'completed' && answer === undefined;
}

/** @param oldestAt what was begun before is told apart with turns that this page has not read */
function takeNewest(entries: readonly Entry[], oldestAt: number, maxMessages: number): Entry[] {
  const kept: Entry[] = [];
  let count = 0;
  for (const entry of [...entries].reverse()) {
    if (kept.length > 0 && (entry.at < oldestAt || count + entry.messages.length > maxMessages)) break;
    count += entry.messages.length;
    kept.unshift(entry);
  }
  return kept;
}

/** What the record has been seen to hold is kept there alone. */
async function forgetTexts(
  { store, log }: { store: Store; log: Log },
  conversationId: string,
  entries: readonly Entry[],
): Promise<void> {
  const ids = entries.flatMap(({ turn, isHeld }) =>
    turn?.status === 'completed' && turn.answer !== undefined && isHeld ? [turn.id] : [],
  );
  if (ids.length === 0) return;
  await store.forgetTexts(conversationId, ids).catch((error: unknown) => {
    log.warn(toLogFields(error), 'words that the agent has are still kept here');
  });
}

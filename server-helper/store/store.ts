/** The port to whatever keeps the helper's records: who owns what, which turns were begun and by whom, small facts. */
import type { ChatMode, ProblemCode } from '../protocol/wire.ts';
import type { SharedLimits } from './shared-limits.ts';
import type { SharedLogs } from './shared-logs.ts';

/** Times are milliseconds since 1970. */
export type ConversationRecord = {
  id: string;
  owner: string;
  /** The agent that it is held with: several may share a store. */
  bot: string;
  /** The agent's chat_id; minted here, never shown to a visitor. */
  chatId: string;
  title: string;
  mode: ChatMode;
  workspace: string | undefined;
  /** For whom the helper made the workspace; undefined when it is the site owner's, which is never deleted. */
  workspaceOf: 'conversation' | 'visitor' | undefined;
  createdAt: number;
  updatedAt: number;
};

export type TurnStatus = 'running' | 'paused' | 'completed' | 'stopped' | 'failed';

export type TurnRecord = {
  conversationId: string;
  id: string;
  /** Hash of the question, to tell a repeat from a conflict. */
  fingerprint: string;
  status: TurnStatus;
  at: number;
  /** When it ended or paused, so that its message says the same time whenever it is told. */
  endedAt: number | undefined;
  /** Kept so that a question which never reached the agent is not lost. */
  question: string;
  /** What was said when the turn did not complete. */
  answer: string | undefined;
  /** JSON of an `Earlier`: what of the record is not this turn's answer, from before a pause or a replacement. */
  earlier: string | undefined;
  code: ProblemCode | undefined;
  /** The agent's own id of its message, once known. */
  agentMessageId: string | undefined;
  vote: 'up' | 'down' | undefined;
  /** JSON of what a paused turn waits for; never shown to a visitor as it is. */
  pause: string | undefined;
  /** The helper that runs it, while it runs. */
  runner: string | undefined;
  /** Until when nobody else may run it, unless the runner says so again. */
  leaseUntil: number | undefined;
  /** The log whose event ids are good for going on: the last that began to tell the turn. */
  teller: string | undefined;
  /** JSON of the ids of the files that came with its question. */
  attached: string | undefined;
};

/** What a turn that has just begun does not have yet. */
export const blankTurn = {
  endedAt: undefined,
  answer: undefined,
  earlier: undefined,
  code: undefined,
  agentMessageId: undefined,
  vote: undefined,
  pause: undefined,
} as const;

export type Lease = { runner: string; until: number };

/** `pause`: it and no other is decided. `earlier`: what the turn knows of the record from then on. */
export type Resumption = { pause?: string; earlier?: string };

/** What the end of a turn, or a pause, changes. */
export type TurnEndChange = Partial<
  Pick<
    TurnRecord,
    'status' | 'endedAt' | 'question' | 'answer' | 'earlier' | 'code' | 'agentMessageId' | 'pause'
  >
>;

/** Which state a turn must be in for its end to be written. A `runner` must still hold the turn. */
export type EndsFrom = { status: 'running'; runner?: string } | { status: 'paused' | 'stopped' };

export type BeginTurn =
  | { kind: 'began' | 'known' | 'running'; conversation: ConversationRecord; turn: TurnRecord }
  /** Deleted, somebody else's, or of a guest who has become somebody. */
  | { kind: 'gone' };

export type Page = { limit: number; before?: { updatedAt: number; id: string } | undefined };

/** A conversation as it was, and whether a turn of it ran. */
export type Deleted = { conversation: ConversationRecord; wasRunning: boolean };

/** What the agent still has to delete. */
export type Leftover = { kind: 'chat' | 'workspace'; id: string; bot: string; tries: number };

/** Before when a thing has outlived its time; milliseconds since 1970. */
export type PurgeBefore = { guests: number; tombstones: number; merged: number; facts: number };

/** So many of something in one hour, of those since 1970. */
export type Tally = { hour: number; name: string; count: number };

export const hourMs = 3600_000;

/** A store that did not answer: nothing was changed, and the same call may succeed later. */
export class StoreBusy extends Error {
  override name = 'StoreBusy';
  /** For the log and `/readyz`. */
  readonly code = 'STORE_BUSY';
}

/** Every method is atomic by itself; an unknown id is undefined, never an error. None blocks the event loop. */
export type Store = {
  /**
   * Begins a turn, and its conversation where there is none yet. `known`: this turn id was begun before;
   * `running`: another turn of the conversation runs or waits. Its time is after that of every other, see `toTurnTime`.
   */
  beginTurn(conversation: ConversationRecord, turn: TurnRecord): Promise<BeginTurn>;
  /** Undefined for a deleted one. */
  findConversation(id: string): Promise<ConversationRecord | undefined>;
  /** Newest first, of one agent. */
  listConversations(owner: string, bot: string, page: Page): Promise<ConversationRecord[]>;
  updateConversation(id: string, change: Partial<Pick<ConversationRecord, 'title' | 'mode'>>): Promise<void>;
  /**
   * First pin wins, but for one that takes the place of `instead`; gives the one that stands, undefined for a deleted
   * conversation.
   */
  pinWorkspace(
    id: string,
    workspace: string,
    workspaceOf: ConversationRecord['workspaceOf'],
    instead?: string,
  ): Promise<string | undefined>;
  /** Leaves a tombstone, drops its turns, and puts its chat and its workspace among the leftovers. */
  deleteConversation(id: string): Promise<Deleted | undefined>;
  /** Deletes all conversations of an owner with this agent, and the facts about the owner. */
  eraseOwner(owner: string, bot: string): Promise<Deleted[]>;

  putLeftovers(leftovers: readonly Pick<Leftover, 'kind' | 'id' | 'bot'>[]): Promise<void>;
  /** Those of one agent that are due, the longest due first. */
  listLeftovers(bot: string, limit: number): Promise<Leftover[]>;
  leftoverDone(leftover: Pick<Leftover, 'kind' | 'id'>): Promise<void>;
  /** Tried in vain: due again at `nextAt`. */
  leftoverTried(leftover: Pick<Leftover, 'kind' | 'id'>, nextAt: number): Promise<void>;

  findTurn(conversationId: string, id: string): Promise<TurnRecord | undefined>;
  /** Oldest first; with `page` the newest `limit`, of those begun before `before`, in milliseconds since 1970. */
  listTurns(conversationId: string, page?: { before?: number; limit: number }): Promise<TurnRecord[]>;
  /** The agent's record has the words of these turns: they need not be kept here. */
  forgetTexts(conversationId: string, ids: readonly string[]): Promise<void>;
  /** The turn that runs or waits in this conversation. */
  findLiveTurn(conversationId: string): Promise<TurnRecord | undefined>;
  /** @returns the vote that stood there */
  voteTurn(conversationId: string, id: string, vote: TurnRecord['vote']): Promise<TurnRecord['vote']>;
  /** From now on only the event ids of this log are good for going on. */
  setTeller(conversationId: string, id: string, teller: string): Promise<void>;
  setEarlier(conversationId: string, id: string, earlier: string): Promise<void>;
  /** Writes how a turn ended or paused, if it is as `from` says: gives whether it was this call. */
  endTurn(conversationId: string, id: string, change: TurnEndChange, from: EndsFrom): Promise<boolean>;
  /** Takes the pause out and lets the turn run, once: the second caller gets undefined and changes nothing. */
  resumeTurn(conversationId: string, id: string, lease: Lease, by?: Resumption): Promise<string | undefined>;
  /** Takes over a running turn whose lease is over; undefined when it is not. */
  takeTurn(conversationId: string, id: string, lease: Lease): Promise<TurnRecord | undefined>;
  /** Renews every lease of this runner; gives the turns that it still holds. */
  renewTurns(lease: Lease): Promise<{ conversationId: string; id: string }[]>;
  /** Lets all turns of this runner be taken over at once. */
  releaseTurns(runner: string): Promise<void>;
  /** Drops this turn and the later ones of the conversation, up to `keepId`, which takes their place. */
  dropTurnsFrom(conversationId: string, id: string, keepId: string): Promise<void>;

  /** Moves all of `from` to `to`, once in the life of `from`; later calls change nothing and give false. */
  mergeOwner(from: string, to: string): Promise<boolean>;
  isMerged(owner: string): Promise<boolean>;
  /** First value wins; gives the one that stands. A fact without `ttlMs` lives for ever. */
  remember(key: string, value: string, ttlMs?: number): Promise<string>;
  /** Whatever stood there. */
  replace(key: string, value: string, ttlMs?: number): Promise<void>;
  recall(key: string): Promise<string | undefined>;
  /** @param only where given, nothing else that stands there by now is forgotten */
  forget(key: string, only?: string): Promise<void>;

  /** Adds each to what is counted of it already, by this process or another; what is of before `keptFrom` goes. */
  addTallies(bot: string, tallies: readonly Tally[], keptFrom: number): Promise<void>;
  readTallies(bot: string, fromHour: number): Promise<Tally[]>;

  /**
   * Removes at most `limit` things that have outlived their time, of guests those of this agent; gives how many. Their
   * chats become leftovers.
   */
  purge(bot: string, before: PurgeBefore, limit: number): Promise<number>;
  /** Rejects while the store cannot be written. */
  check(): Promise<void>;
  /** Both where helpers on several machines share it. */
  logs?: SharedLogs;
  limits?: SharedLimits;
  close(): Promise<void>;
};

/** Keys of the facts that one agent has about one owner: what is forgotten when the owner is erased. */
export const toOwnerKeys = (
  owner: string,
  bot: string,
): Record<'challenge' | 'member' | 'workspace', string> => ({
  challenge: `challenge:${bot}:${owner}`,
  member: `member:${bot}:${owner}`,
  workspace: `workspace:${bot}:${owner}`,
});

/** A lease further ahead than this was written by a clock that has been set back since. */
export const longestLeaseMs = 60_000;

/** Turns stand in the order in which they began, though the clock was set back in between. @param last of the others */
export const toTurnTime = (at: number, last = at): number => (at < last ? last + 1 : at);

/** When a turn began at the latest: a clock that was set back is behind the time under which it stands, see `toTurnTime`. */
export const toBegun = ({ at, endedAt }: Pick<TurnRecord, 'at'> & { endedAt?: number | undefined }): number =>
  Math.min(at, endedAt ?? Date.now());

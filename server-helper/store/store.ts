/** The port to whatever keeps the helper's records: who owns what, which turns were begun, small facts. */
import type { ChatMode, ProblemCode } from '../protocol/wire.ts';

/** Times are milliseconds since 1970. */
export type ConversationRecord = {
  id: string;
  owner: string;
  /** The agent's chat_id; minted here, never shown to a visitor. */
  chatId: string;
  title: string;
  mode: ChatMode;
  workspace: string | undefined;
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
  code: ProblemCode | undefined;
  /** The agent's own id of its message, once known. */
  agentMessageId: string | undefined;
  vote: 'up' | 'down' | undefined;
  /** JSON of what a paused turn waits for; never shown to a visitor as it is. */
  pause: string | undefined;
};

export type BeginTurn =
  | { kind: 'began'; turn: TurnRecord }
  | { kind: 'known'; turn: TurnRecord }
  | { kind: 'running'; turn: TurnRecord }
  | { kind: 'gone' };

export type Page = { limit: number; before?: { updatedAt: number; id: string } | undefined };

/** Every method is atomic by itself; an unknown id is undefined, never an error. */
export type Store = {
  /** Makes the conversation, or gives the owner's own. Undefined: somebody else's, or deleted. */
  claimConversation(record: ConversationRecord): Promise<ConversationRecord | undefined>;
  /** Undefined for a deleted one. */
  findConversation(id: string): Promise<ConversationRecord | undefined>;
  /** Newest first. */
  listConversations(owner: string, page: Page): Promise<ConversationRecord[]>;
  updateConversation(
    id: string,
    change: Partial<Pick<ConversationRecord, 'title' | 'mode' | 'workspace' | 'updatedAt'>>,
  ): Promise<void>;
  /** Leaves a tombstone, so that the id never lives again; drops its turns. */
  deleteConversation(id: string): Promise<void>;
  /** Deleted conversations whose chat the agent may still have. */
  listUndeletedChats(limit: number): Promise<{ id: string; chatId: string }[]>;
  chatDeleted(id: string): Promise<void>;

  /** `running` when another turn of the conversation runs or waits; `gone` when the conversation does not live. */
  beginTurn(turn: TurnRecord): Promise<BeginTurn>;
  findTurn(conversationId: string, id: string): Promise<TurnRecord | undefined>;
  /** Oldest first. */
  listTurns(conversationId: string): Promise<TurnRecord[]>;
  /** The turn that runs or waits in this conversation. */
  findLiveTurn(conversationId: string): Promise<TurnRecord | undefined>;
  updateTurn(
    conversationId: string,
    id: string,
    change: Partial<Omit<TurnRecord, 'conversationId' | 'id' | 'fingerprint' | 'at'>>,
  ): Promise<void>;
  /** Writes how a turn ended, unless its end is written already: gives whether it was this one. */
  settleTurn(
    conversationId: string,
    id: string,
    change: Partial<Omit<TurnRecord, 'conversationId' | 'id' | 'fingerprint' | 'at'>>,
  ): Promise<boolean>;
  /** Takes the pause out, once: the second caller gets undefined. */
  takePause(conversationId: string, id: string): Promise<string | undefined>;
  /** Drops this turn and all later ones of the conversation, but `keepId`, which takes their place. */
  dropTurnsFrom(conversationId: string, id: string, keepId: string): Promise<void>;

  /** Moves all of `from` to `to`, once in the life of `from`; later calls change nothing and give false. */
  mergeOwner(from: string, to: string): Promise<boolean>;
  /** Whether this owner was merged into somebody. */
  isMerged(owner: string): Promise<boolean>;
  /** First value wins; gives the one that stands. A fact without `ttlMs` lives for ever. */
  remember(key: string, value: string, ttlMs?: number): Promise<string>;
  /** A fact, whatever stood there. */
  replace(key: string, value: string, ttlMs: number): Promise<void>;
  recall(key: string): Promise<string | undefined>;
  forget(key: string): Promise<void>;
  /** Rejects when the store cannot be written. */
  check(): Promise<void>;
  close(): Promise<void>;
};

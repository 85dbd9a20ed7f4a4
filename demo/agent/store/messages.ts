/** Messages and their votes in the database. */

import { randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';
import { withoutZero } from '../text.ts';

export interface CitedSource {
  citation_number: number;
  source_id: string;
  title: string;
  url: string | null;
  favicon: string | null;
  type: string;
  tags: string[];
}

/** How an agent's message ended; a visitor's has none. */
export type FinishReason = 'stop' | 'cancelled' | 'error' | 'paused';

export interface Message {
  id: number;
  uuid: string;
  chat: number;
  role: 'user' | 'system';
  content: string;
  model: string | null;
  reasoning_type: string;
  credit_used: number;
  tokens: number;
  sources: CitedSource[];
  finish_reason: FinishReason | null;
  /** What its tools did, where it did not come to its end; `''` otherwise. For the model alone. */
  ran: string;
  created_at: number;
  updated_at: number;
  upvotes: number;
  downvotes: number;
}

export type NewMessage = Omit<
  Message,
  'id' | 'uuid' | 'created_at' | 'updated_at' | 'upvotes' | 'downvotes' | 'ran'
> & {
  uuid?: string;
  ran?: string;
};

const select = `SELECT messages.*,
  (SELECT count(*) FROM votes WHERE message_id = messages.uuid AND vote_type = 'upvote') AS upvotes,
  (SELECT count(*) FROM votes WHERE message_id = messages.uuid AND vote_type = 'downvote') AS downvotes
  FROM messages`;

export interface FoundMessage {
  chat_id: string;
  subject: string;
  role: 'user' | 'system';
  content: string;
  created_at: number;
}

/** So many it takes no longer than a moment to look through. */
const mostSearched = 20_000;

export function createMessageStore(db: Db, now: () => number) {
  const find = (chat: number, uuid: string): Message | undefined => {
    const row = db.prepare(`${select} WHERE chat = ? AND uuid = ?`).get(chat, uuid);
    return row === undefined ? undefined : toMessage(row);
  };

  return {
    /** Of the latest messages of an agent those that hold a text, newest first. */
    search(botId: string, text: string, most: number) {
      return db
        .prepare(
          `SELECT chat_id, subject, role, content, latest.created_at
           FROM (SELECT * FROM messages ORDER BY id DESC LIMIT ${mostSearched}) AS latest
           JOIN chats ON chats.id = latest.chat
           WHERE chats.bot_id = ? AND instr(lower(content), lower(?)) > 0 ORDER BY latest.id DESC LIMIT ?`,
        )
        .all(botId, text, most) as FoundMessage[];
    },

    find,

    /** Inserts, or replaces the content of the message that already has this uuid. */
    save(message: NewMessage): Message {
      const uuid = message.uuid ?? randomUUID();
      const at = now();
      db.prepare(
        `INSERT INTO messages (uuid, chat, bot_id, role, content, model, reasoning_type, credit_used, tokens, sources,
           finish_reason, ran, created_at, updated_at)
         VALUES (?, ?, (SELECT bot_id FROM chats WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (uuid) DO UPDATE SET content = excluded.content, model = excluded.model,
           reasoning_type = excluded.reasoning_type, credit_used = excluded.credit_used, tokens = excluded.tokens, sources = excluded.sources,
           finish_reason = excluded.finish_reason, ran = excluded.ran, updated_at = excluded.updated_at`,
      ).run(
        uuid,
        message.chat,
        message.chat,
        message.role,
        withoutZero(message.content),
        message.model,
        message.reasoning_type,
        message.credit_used,
        message.tokens,
        JSON.stringify(message.sources),
        message.finish_reason,
        message.ran ?? '',
        at,
        at,
      );
      return find(message.chat, uuid)!;
    },

    /** Oldest first. */
    page(chat: number, page: Page): { messages: Message[]; total: number } {
      const { total } = db.prepare('SELECT count(*) AS total FROM messages WHERE chat = ?').get(chat) as {
        total: number;
      };
      const rows = db
        .prepare(`${select} WHERE chat = ? ORDER BY id LIMIT ? OFFSET ?`)
        .all(chat, page.perPage, toOffset(page));
      return { messages: rows.map(toMessage), total };
    },

    /** Oldest first, without those that a summary stands for. */
    after(chat: number, id: number): Message[] {
      return db.prepare(`${select} WHERE chat = ? AND id > ? ORDER BY id`).all(chat, id).map(toMessage);
    },

    /** A pause that nobody waits for any more leaves an ordinary, ended message. */
    endPaused(chat: number) {
      db.prepare(
        "UPDATE messages SET finish_reason = 'stop' WHERE chat = ? AND finish_reason = 'paused'",
      ).run(chat);
    },

    /** What went on after a decision, and was cut off. @param title of the tool that was allowed */
    failPaused(chat: number, uuid: string, title: string | undefined) {
      const said = title && `${title}: allowed, and cut off. It is not known whether it was done.`;
      db.prepare(
        `UPDATE messages SET finish_reason = 'error', content = trim(content || char(10, 10) || ?, char(10))
         WHERE chat = ? AND uuid = ? AND finish_reason = 'paused'`,
      ).run(said ?? '', chat, uuid);
    },

    /** Deletes one message, and with `truncate` all later ones of the conversation too. */
    delete(message: Message, truncate: boolean): number {
      return db
        .prepare(`DELETE FROM messages WHERE chat = ? AND id ${truncate ? '>=' : '='} ?`)
        .run(message.chat, message.id).changes;
    },

    /** `null` takes the vote back. */
    vote(messageId: string, voterType: string, voterId: string, vote: 'upvote' | 'downvote' | null) {
      if (vote === null)
        db.prepare('DELETE FROM votes WHERE message_id = ? AND voter_type = ? AND voter_id = ?').run(
          messageId,
          voterType,
          voterId,
        );
      else
        db.prepare(
          `INSERT INTO votes (message_id, bot_id, voter_type, voter_id, vote_type, created_at)
           SELECT uuid, bot_id, ?, ?, ?, ? FROM messages WHERE uuid = ?
           ON CONFLICT DO UPDATE SET vote_type = excluded.vote_type, created_at = excluded.created_at`,
        ).run(voterType, voterId, vote, now(), messageId);
    },

    voteOf(messageId: string, voterType: string, voterId: string): 'upvote' | 'downvote' | null {
      const row = db
        .prepare('SELECT vote_type FROM votes WHERE message_id = ? AND voter_type = ? AND voter_id = ?')
        .get(messageId, voterType, voterId) as { vote_type: 'upvote' | 'downvote' } | undefined;
      return row?.vote_type ?? null;
    },

    /** True when this bot has a message of that uuid, in whichever conversation. */
    isOfBot(botId: string, uuid: string): boolean {
      return (
        db.prepare('SELECT 1 AS one FROM messages WHERE bot_id = ? AND uuid = ?').get(botId, uuid) !==
        undefined
      );
    },
  };
}

export type MessageStore = ReturnType<typeof createMessageStore>;

function toMessage(row: unknown): Message {
  const fields = row as Omit<Message, 'sources'> & { sources: string };
  return { ...fields, sources: JSON.parse(fields.sources) as CitedSource[] };
}

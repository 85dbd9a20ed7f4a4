/** Conversations in the database. */

import { type Db, insertRow, updateRow } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';
import type { Tell } from '../tell.ts';

/** Who the agent takes itself to be talking to. */
export type Persona = 'service' | 'visitor' | 'builder';
/** What became of `purpose: 'service'`. */
export type Purpose = 'none' | 'granted' | 'ignored';
export type ChatMode = 'ask' | 'edit' | 'plan';

export interface Chat {
  id: number;
  bot_id: string;
  chat_id: string;
  subject: string;
  channel: string;
  member_id: string | null;
  persona: Persona;
  purpose: Purpose;
  workspace_uuid: string | null;
  chat_mode: ChatMode;
  /** Stands for all messages up to and including `summary_until`. */
  summary: string;
  summary_until: number;
  /** When it will have been silent for long, in ms since 1970; null: nobody said anything that could end. */
  ends_at: number | null;
  /** 1: told, since somebody spoke last. */
  has_ended: 0 | 1;
  created_at: number;
  updated_at: number;
}

export interface ListedChat extends Chat {
  message_count: number;
  latest: string | null;
}

export interface NewChat {
  bot_id: string;
  chat_id: string;
  subject: string;
  member_id: string | null;
  persona: Persona;
  purpose: Purpose;
  chat_mode: ChatMode;
}

/** A conversation has ended after so long without a message. */
export const silentMs = 30 * 60_000;
const endedAtOnce = 100;

/** @param tell of those that end */
export function createChatStore(db: Db, now: () => number, tell: Tell) {
  const find = (botId: string, chatId: string): Chat | undefined =>
    db.prepare('SELECT * FROM chats WHERE bot_id = ? AND chat_id = ?').get(botId, chatId) as Chat | undefined;

  const set = (id: number, values: Partial<Chat>) =>
    updateRow(db, 'chats', id, { ...values, updated_at: now() });

  return {
    find,
    set,

    create(chat: NewChat): Chat {
      const at = now();
      insertRow(db, 'chats', { ...chat, channel: 'api', created_at: at, updated_at: at });
      return find(chat.bot_id, chat.chat_id)!;
    },

    list(botId: string, page: Page): { chats: ListedChat[]; total: number } {
      const { total } = db.prepare('SELECT count(*) AS total FROM chats WHERE bot_id = ?').get(botId) as {
        total: number;
      };
      const chats = db
        .prepare(
          `SELECT chats.*,
             (SELECT count(*) FROM messages WHERE chat = chats.id) AS message_count,
             (SELECT substr(content, 1, 200) FROM messages WHERE chat = chats.id ORDER BY id DESC LIMIT 1) AS latest
           FROM chats WHERE bot_id = ? ORDER BY updated_at DESC, id DESC LIMIT ? OFFSET ?`,
        )
        .all(botId, page.perPage, toOffset(page)) as ListedChat[];
      return { chats, total };
    },

    delete({ id, bot_id, chat_id }: Chat) {
      db.transaction(() => {
        const [gone] = db.prepare('DELETE FROM chats WHERE id = ? RETURNING has_ended').all(id) as Chat[];
        if (gone?.has_ended === 0) tell('chat.ended', bot_id, { id: chat_id });
      })();
    },

    /** Those that have been silent for long. */
    endSilent() {
      // It is looked often, and a write waits for others.
      if (!db.prepare('SELECT 1 FROM chats WHERE ends_at <= ? LIMIT 1').get(now())) return;
      db.transaction(() => {
        const ended = db
          .prepare(
            `UPDATE chats SET ends_at = NULL, has_ended = 1
             WHERE id IN (SELECT id FROM chats WHERE ends_at <= ? ORDER BY ends_at LIMIT ${endedAtOnce})
             RETURNING bot_id, chat_id`,
          )
          .all(now()) as Chat[];
        for (const { bot_id, chat_id } of ended) tell('chat.ended', bot_id, { id: chat_id });
      })();
    },
  };
}

export type ChatStore = ReturnType<typeof createChatStore>;

/** Training sources in the database, with the passages cut from them. */

import { randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';

export type SourceType = 'text' | 'website' | 'webpage';

export interface Source {
  id: number;
  uuid: string;
  bot_id: string;
  title: string;
  type: SourceType;
  /** The text, or the URL. */
  source: string;
  tags: string[];
  status: 'processing' | 'success' | 'failed';
  error: string | null;
  passages: number;
  created_at: number;
  updated_at: number;
}

export interface NewPassage {
  url: string | null;
  title: string;
  favicon: string | null;
  section: string;
  content: string;
}

const select = `SELECT sources.*,
  (SELECT count(*) FROM passages WHERE passages.source = sources.id) AS passages FROM sources`;

export function createSourceStore(db: Db, now: () => number) {
  const find = (botId: string, uuid: string): Source | undefined => {
    const row = db.prepare(`${select} WHERE bot_id = ? AND uuid = ?`).get(botId, uuid);
    return row === undefined ? undefined : toSource(row);
  };

  return {
    find,

    create(botId: string, source: Pick<Source, 'title' | 'type' | 'source' | 'tags'>): Source {
      const uuid = randomUUID();
      const at = now();
      db.prepare(
        `INSERT INTO sources (uuid, bot_id, title, type, source, tags, status, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, 'processing', ?, ?)`,
      ).run(uuid, botId, source.title, source.type, source.source, JSON.stringify(source.tags), at, at);
      return find(botId, uuid)!;
    },

    /** Puts the passages in, and takes out every other source of the same bot, type and address. */
    succeed(source: Source, passages: readonly NewPassage[]) {
      const add = db.prepare(
        'INSERT INTO passages (source, url, title, favicon, section, content) VALUES (?, ?, ?, ?, ?, ?)',
      );
      db.transaction(() => {
        if (source.type !== 'text')
          db.prepare('DELETE FROM sources WHERE bot_id = ? AND type = ? AND source = ? AND id <> ?').run(
            source.bot_id,
            source.type,
            source.source,
            source.id,
          );
        for (const passage of passages)
          add.run(source.id, passage.url, passage.title, passage.favicon, passage.section, passage.content);
        db.prepare("UPDATE sources SET status = 'success', updated_at = ? WHERE id = ?").run(
          now(),
          source.id,
        );
      })();
    },

    fail(source: Source, error: string) {
      db.prepare("UPDATE sources SET status = 'failed', error = ?, updated_at = ? WHERE id = ?").run(
        error,
        now(),
        source.id,
      );
    },

    /** What a killed service left half done. */
    failUnfinished() {
      db.prepare(
        "UPDATE sources SET status = 'failed', error = 'The service stopped while reading it.' WHERE status = 'processing'",
      ).run();
    },

    list(botId: string, page: Page): { sources: Source[]; total: number } {
      const { total } = db.prepare('SELECT count(*) AS total FROM sources WHERE bot_id = ?').get(botId) as {
        total: number;
      };
      const rows = db
        .prepare(`${select} WHERE bot_id = ? ORDER BY sources.id DESC LIMIT ? OFFSET ?`)
        .all(botId, page.perPage, toOffset(page));
      return { sources: rows.map(toSource), total };
    },

    delete(botId: string, uuid: string): boolean {
      return db.prepare('DELETE FROM sources WHERE bot_id = ? AND uuid = ?').run(botId, uuid).changes > 0;
    },
  };
}

export type SourceStore = ReturnType<typeof createSourceStore>;

function toSource(row: unknown): Source {
  const fields = row as Omit<Source, 'tags'> & { tags: string };
  return { ...fields, tags: JSON.parse(fields.tags) as string[] };
}

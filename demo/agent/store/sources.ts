/** Training sources in the database, with the passages cut from them. */

import { randomUUID } from 'node:crypto';
import type { Db } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';

export const sourceTypes = ['text', 'website', 'webpage', 'file'] as const;
export type SourceType = (typeof sourceTypes)[number];

const dayMs = 24 * 3_600_000;
/** How long a source is kept, in ms. */
export const lifetimes = {
  '1 day': dayMs,
  '1 week': 7 * dayMs,
  '2 weeks': 14 * dayMs,
  '1 month': 30 * dayMs,
  '3 months': 91 * dayMs,
  '6 months': 182 * dayMs,
  '1 year': 365 * dayMs,
  never: undefined,
} as const;
export type Lifetime = keyof typeof lifetimes;
/** How often its addresses are read again, in ms. */
export const frequencies = { never: undefined, weekly: 7 * dayMs, monthly: 30 * dayMs } as const;
export type Frequency = keyof typeof frequencies;

export interface SourceLink {
  url: string;
  title: string;
  tokens: number;
}

export interface Source {
  id: number;
  uuid: string;
  bot_id: string;
  title: string;
  description: string | null;
  type: SourceType;
  /** The text, the website's address, or the addresses of pages and files, one a line. */
  source: string;
  tags: string[];
  status: 'processing' | 'success' | 'failed';
  error: string | null;
  passages: number;
  tokens: number;
  links: SourceLink[];
  forget_after: Lifetime;
  forget_after_at: number | null;
  sync_frequency: Frequency;
  synced_at: number | null;
  created_at: number;
  updated_at: number;
}

export type SourceChanges = Partial<
  Pick<Source, 'title' | 'description' | 'source' | 'tags' | 'forget_after' | 'sync_frequency'>
>;

export interface NewPassage {
  url: string | null;
  title: string;
  favicon: string | null;
  section: string;
  content: string;
}

/** What was read of a source. */
export interface SourceReading {
  passages: readonly NewPassage[];
  content: string;
  links: readonly SourceLink[];
  tokens: number;
  /** Names the addresses that could not be read. */
  error: string | null;
}

const columns = `id, uuid, bot_id, title, description, type, source, tags, status, error, tokens, links, forget_after,
  forget_after_at, sync_frequency, synced_at, created_at, updated_at`;
const select = `SELECT ${columns},
  (SELECT count(*) FROM passages WHERE passages.source = sources.id) AS passages FROM sources`;

export function createSourceStore(db: Db, now: () => number) {
  const find = (botId: string, uuid: string): Source | undefined => {
    const row = db.prepare(`${select} WHERE bot_id = ? AND uuid = ?`).get(botId, uuid);
    return row === undefined ? undefined : toSource(row);
  };
  const set = (id: number, values: Record<string, unknown>) => {
    const changed = Object.entries({ ...values, updated_at: now() });
    const assignments = changed.map(([column]) => `${column} = ?`).join(', ');
    db.prepare(`UPDATE sources SET ${assignments} WHERE id = ?`).run(
      ...changed.map(([, value]) => value),
      id,
    );
  };
  const toForgetAt = (lifetime: Lifetime): number | null => {
    const ms = lifetimes[lifetime];
    return ms === undefined ? null : now() + ms;
  };

  return {
    find,

    create(
      botId: string,
      source: Pick<Source, 'title' | 'description' | 'type' | 'source' | 'tags'> &
        Pick<Source, 'forget_after' | 'sync_frequency'>,
    ): Source {
      const uuid = randomUUID();
      const at = now();
      db.prepare(
        `INSERT INTO sources (uuid, bot_id, title, description, type, source, tags, status, forget_after,
           forget_after_at, sync_frequency, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, 'processing', ?, ?, ?, ?, ?)`,
      ).run(
        uuid,
        botId,
        source.title,
        source.description,
        source.type,
        source.source,
        JSON.stringify(source.tags),
        source.forget_after,
        toForgetAt(source.forget_after),
        source.sync_frequency,
        at,
        at,
      );
      return find(botId, uuid)!;
    },

    /** With another `source` it is to be read again: until that is done, what was read before is found. */
    update(source: Source, { tags, forget_after, ...changes }: SourceChanges): Source {
      set(source.id, {
        ...changes,
        ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
        ...(forget_after === undefined ? {} : { forget_after, forget_after_at: toForgetAt(forget_after) }),
        ...(changes.source === undefined ? {} : { status: 'processing', error: null }),
      });
      return find(source.bot_id, source.uuid)!;
    },

    /** Puts the passages in, and takes out every other source of the same bot, type and address. */
    succeed(source: Source, { passages, content, links, tokens, error }: SourceReading) {
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
        // Deleted while it was read.
        if (!find(source.bot_id, source.uuid)) return;
        db.prepare('DELETE FROM passages WHERE source = ?').run(source.id);
        for (const passage of passages)
          add.run(source.id, passage.url, passage.title, passage.favicon, passage.section, passage.content);
        const read = { content, tokens, links: JSON.stringify(links), error };
        set(source.id, { ...read, status: 'success', synced_at: now() });
      })();
    },

    /** What was read before, if anything, stays; it is tried again when it is due next. */
    fail(source: Source, error: string) {
      set(source.id, { status: 'failed', error, synced_at: now() });
    },

    /** What a killed service left half done. */
    failUnfinished() {
      db.prepare(
        "UPDATE sources SET status = 'failed', error = 'The service stopped while reading it.' WHERE status = 'processing'",
      ).run();
    },

    /** Those whose time is over are gone. */
    forgetDue() {
      db.prepare('DELETE FROM sources WHERE forget_after_at <= ?').run(now());
    },

    /** Those whose addresses are to be read again. */
    due(): Source[] {
      return Object.entries(frequencies).flatMap(([frequency, ms]) =>
        ms === undefined
          ? []
          : db
              .prepare(`${select} WHERE sync_frequency = ? AND synced_at <= ? AND status <> 'processing'`)
              .all(frequency, now() - ms)
              .map(toSource),
      );
    },

    markProcessing(source: Source) {
      set(source.id, { status: 'processing' });
    },

    readContent(source: Source): string {
      const row = db.prepare('SELECT content FROM sources WHERE id = ?').get(source.id);
      return (row as { content: string }).content;
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

    deleteAll(botId: string) {
      db.prepare('DELETE FROM sources WHERE bot_id = ?').run(botId);
    },
  };
}

export type SourceStore = ReturnType<typeof createSourceStore>;

function toSource(row: unknown): Source {
  const fields = row as Omit<Source, 'tags' | 'links'> & { tags: string; links: string };
  return {
    ...fields,
    tags: JSON.parse(fields.tags) as string[],
    links: JSON.parse(fields.links) as SourceLink[],
  };
}

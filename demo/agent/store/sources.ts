/** Training sources in the database, with the passages cut from them. */

import { randomUUID } from 'node:crypto';
import { type Db, insertRow, updateRow } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';
import type { Tell } from '../tell.ts';
import { withoutZero } from '../text.ts';
import { dayMs } from '../time.ts';

export const sourceTypes = ['text', 'website', 'webpage', 'file'] as const;
export type SourceType = (typeof sourceTypes)[number];

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

/** @param tell of what is made, changed and deleted */
export function createSourceStore(db: Db, now: () => number, tell: Tell) {
  const find = (botId: string, uuid: string): Source | undefined => {
    const row = db.prepare(`${select} WHERE bot_id = ? AND uuid = ?`).get(botId, uuid);
    return row === undefined ? undefined : toSource(row);
  };
  const set = (id: number, values: Parameters<typeof updateRow>[3]) =>
    updateRow(db, 'sources', id, { ...values, updated_at: now() });
  const toForgetAt = (lifetime: Lifetime): number | null => {
    const ms = lifetimes[lifetime];
    return ms === undefined ? null : now() + ms;
  };

  /** Each that goes is told of: inside a transaction. @returns how many went */
  const remove = (where: string, ...values: unknown[]): number => {
    const gone = db
      .prepare(`DELETE FROM sources WHERE ${where} RETURNING uuid, bot_id, title`)
      .all(...values) as Pick<Source, 'uuid' | 'bot_id' | 'title'>[];
    for (const { uuid, bot_id, title } of gone) tell('memory.deleted', bot_id, { id: uuid, name: title });
    return gone.length;
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
      db.transaction(() => {
        insertRow(db, 'sources', {
          ...source,
          uuid,
          bot_id: botId,
          tags: JSON.stringify(source.tags),
          status: 'processing',
          forget_after_at: toForgetAt(source.forget_after),
          created_at: at,
          updated_at: at,
        });
        tell('memory.created', botId, { id: uuid, name: source.title });
      })();
      return find(botId, uuid)!;
    },

    /** With another `source` it is to be read again: until that is done, what was read before is found. */
    update(source: Source, { tags, forget_after, ...changes }: SourceChanges): Source {
      db.transaction(() => {
        set(source.id, {
          ...changes,
          ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
          ...(forget_after === undefined ? {} : { forget_after, forget_after_at: toForgetAt(forget_after) }),
          ...(changes.source === undefined ? {} : { status: 'processing', error: null }),
        });
        tell('memory.updated', source.bot_id, { id: source.uuid, name: changes.title ?? source.title });
      })();
      return find(source.bot_id, source.uuid)!;
    },

    /** Puts the passages in, and takes out every other source of the same bot, type and address. */
    succeed(source: Source, { passages, content, links, tokens, error }: SourceReading) {
      const add = db.prepare(
        'INSERT INTO passages (source, url, title, favicon, section, content) VALUES (?, ?, ?, ?, ?, ?)',
      );
      db.transaction(() => {
        // Deleted while it was read.
        if (!find(source.bot_id, source.uuid)) return;
        if (source.type !== 'text')
          remove(
            'bot_id = ? AND type = ? AND source = ? AND id <> ?',
            source.bot_id,
            source.type,
            source.source,
            source.id,
          );
        db.prepare('DELETE FROM passages WHERE source = ?').run(source.id);
        for (const passage of passages)
          add.run(
            ...[source.id, passage.url, passage.title, passage.favicon, passage.section, passage.content].map(
              withoutZero,
            ),
          );
        const read = { content: withoutZero(content), tokens, links: JSON.stringify(links), error };
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
      // It is looked often, and a write waits for others.
      if (!db.prepare('SELECT 1 FROM sources WHERE forget_after_at <= ? LIMIT 1').get(now())) return;
      db.transaction(() => remove('forget_after_at <= ?', now()))();
    },

    /** Those whose addresses are to be read again. */
    due(): Source[] {
      return Object.entries(frequencies).flatMap(([frequency, ms]) =>
        ms === undefined
          ? []
          : db
              .prepare(
                `${select} WHERE sync_frequency = ? AND (synced_at IS NULL OR synced_at <= ?) AND status <> 'processing'`,
              )
              .all(frequency, now() - ms)
              .map(toSource),
      );
    },

    markProcessing(source: Source) {
      set(source.id, { status: 'processing', error: null });
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
      return db.transaction(() => remove('bot_id = ? AND uuid = ?', botId, uuid))() > 0;
    },

    deleteAll(botId: string) {
      db.transaction(() => remove('bot_id = ?', botId))();
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

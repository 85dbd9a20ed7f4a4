/** Search over the passages of a bot: FTS5, ranked with bm25. */

import type { Db } from '../db.ts';

export interface FoundPassage {
  id: number;
  source_id: string;
  type: string;
  tags: string[];
  url: string | null;
  title: string;
  favicon: string | null;
  section: string;
  content: string;
  /** Larger is better; only comparable within one search. */
  score: number;
}

export interface SearchScope {
  botId: string;
  /** Absent: all. */
  sourceIds?: readonly string[] | undefined;
  tags?: readonly string[] | undefined;
}

export function createSearch(db: Db) {
  /** Best first, at most `top`. */
  function find(scope: SearchScope, words: readonly string[], top: number): FoundPassage[] {
    if (words.length === 0) return [];
    const rows = db
      .prepare(
        `SELECT passages.*, sources.uuid AS source_id, sources.type, sources.tags,
           -bm25(passages_fts, 3.0, 2.0, 1.0) AS score
         FROM passages_fts
         JOIN passages ON passages.id = passages_fts.rowid
         JOIN sources ON sources.id = passages.source
         WHERE passages_fts MATCH ? AND sources.bot_id = ?
           AND (? IS NULL OR sources.uuid IN (SELECT value FROM json_each(?)))
           AND (? IS NULL OR EXISTS (SELECT 1 FROM json_each(sources.tags) AS tag
             WHERE tag.value IN (SELECT value FROM json_each(?))))
         ORDER BY score DESC, passages.id LIMIT ?`,
      )
      .all(
        toMatch(words),
        scope.botId,
        ...twice(scope.sourceIds),
        ...twice(scope.tags),
        top,
      ) as StoredPassage[];
    return rows.map(toPassage);
  }

  return {
    find,

    /** Changes whenever the bot's passages do. */
    version(botId: string): string {
      const { count, last } = db
        .prepare(
          `SELECT count(*) AS count, max(passages.id) AS last FROM passages
           JOIN sources ON sources.id = passages.source WHERE sources.bot_id = ?`,
        )
        .get(botId) as { count: number; last: number | null };
      return `${count}:${last}`;
    },

    /** All passages as plain text, each with its headings. */
    *texts(botId: string): Iterable<string> {
      const rows = db
        .prepare(
          `SELECT passages.title || ' ' || passages.section || ' ' || passages.content AS text FROM passages
           JOIN sources ON sources.id = passages.source WHERE sources.bot_id = ?`,
        )
        .iterate(botId) as Iterable<{ text: string }>;
      for (const { text } of rows) yield text;
    },

    /** The headings of all passages. */
    *names(botId: string): Iterable<string> {
      const rows = db
        .prepare(
          `SELECT DISTINCT section FROM passages JOIN sources ON sources.id = passages.source
           WHERE sources.bot_id = ? AND section <> ''`,
        )
        .iterate(botId) as Iterable<{ section: string }>;
      for (const { section } of rows) yield section;
    },

    /** The passages of one page, by the path of its address, in its order. */
    ofPage(scope: SearchScope, path: string): FoundPassage[] {
      const rows = db
        .prepare(
          `SELECT passages.*, sources.uuid AS source_id, sources.type, sources.tags, 0 AS score
           FROM passages JOIN sources ON sources.id = passages.source
           WHERE sources.bot_id = ? AND passages.url LIKE ? ESCAPE '!'
             AND (? IS NULL OR sources.uuid IN (SELECT value FROM json_each(?)))
           ORDER BY passages.id LIMIT 60`,
        )
        .all(scope.botId, toPathMatch(path), ...twice(scope.sourceIds)) as StoredPassage[];
      return rows.map(toPassage);
    },

    /** The page's own title, by the path of its address. */
    titleOf(botId: string, path: string): string | undefined {
      const row = db
        .prepare(
          `SELECT passages.title FROM passages JOIN sources ON sources.id = passages.source
           WHERE sources.bot_id = ? AND passages.url LIKE ? ESCAPE '!' LIMIT 1`,
        )
        .get(botId, toPathMatch(path)) as { title: string } | undefined;
      return row?.title;
    },

    /** The contact page of the site, if it has one. */
    contactPage(botId: string): { title: string; url: string } | undefined {
      return db
        .prepare(
          `SELECT passages.title, passages.url FROM passages JOIN sources ON sources.id = passages.source
           WHERE sources.bot_id = ? AND passages.url IS NOT NULL
             AND (passages.url LIKE '%contact%' OR passages.title LIKE '%contact%')
           ORDER BY passages.url LIKE '%contact%' DESC, passages.id LIMIT 1`,
        )
        .get(botId) as { title: string; url: string } | undefined;
    },
  };
}

export type Search = ReturnType<typeof createSearch>;

type StoredPassage = Omit<FoundPassage, 'tags'> & { tags: string };

function toPassage(row: StoredPassage): FoundPassage {
  return { ...row, tags: JSON.parse(row.tags) as string[] };
}

/** Of an address that ends with this path. */
function toPathMatch(path: string): string {
  return `%${path.replace(/[!%_]/g, '!$&')}`;
}

/** A quoted FTS5 string has no operators; only the quote itself needs doubling. */
function toMatch(words: readonly string[]): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ');
}

function twice(list: readonly string[] | undefined): [string | null, string | null] {
  const json = list === undefined ? null : JSON.stringify(list);
  return [json, json];
}

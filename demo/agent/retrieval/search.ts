/** Search over the passages of a bot: FTS5, ranked with bm25. */

import type { Db } from '../db.ts';
import type { Term } from './terms.ts';

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
      .all(toMatch(words), scope.botId, ...twice(scope.sourceIds), ...twice(scope.tags), top) as (Omit<
      FoundPassage,
      'tags'
    > & { tags: string })[];
    return rows.map((row) => ({ ...row, tags: JSON.parse(row.tags) as string[] }));
  }

  return {
    find,

    /** How rare each term is among the bot's passages: the rarer, the more it says. */
    rarity(botId: string, terms: readonly Term[]): Map<string, number> {
      const { total } = db
        .prepare(
          'SELECT count(*) AS total FROM passages JOIN sources ON sources.id = passages.source WHERE sources.bot_id = ?',
        )
        .get(botId) as { total: number };
      const count = db.prepare(
        `SELECT count(*) AS holding FROM passages_fts
         JOIN passages ON passages.id = passages_fts.rowid
         JOIN sources ON sources.id = passages.source
         WHERE passages_fts MATCH ? AND sources.bot_id = ?`,
      );
      return new Map(
        terms.map(({ word, stem }) => {
          const { holding } = count.get(toMatch([word]), botId) as { holding: number };
          return [stem, Math.log(1 + (total - holding + 0.5) / (holding + 0.5))];
        }),
      );
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

/** A quoted FTS5 string has no operators; only the quote itself needs doubling. */
function toMatch(words: readonly string[]): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ');
}

function twice(list: readonly string[] | undefined): [string | null, string | null] {
  const json = list === undefined ? null : JSON.stringify(list);
  return [json, json];
}

/** The database: one SQLite file, opened with its migrations applied. */

import Database from 'libsql';
import { agents } from './migrations/1-agents.ts';
import { keys } from './migrations/2-keys.ts';
import { people } from './migrations/3-people.ts';
import { deliveries } from './migrations/4-deliveries.ts';
import { tasks } from './migrations/5-tasks.ts';
import { crm } from './migrations/6-crm.ts';
import { statistics } from './migrations/7-statistics.ts';
import { workflows } from './migrations/8-workflows.ts';
import { emails } from './migrations/9-emails.ts';
import { origins } from './migrations/10-origins.ts';
import { files } from './migrations/11-files.ts';
import { toolServers } from './migrations/12-toolservers.ts';
import { pauses } from './migrations/13-pauses.ts';
import { ran } from './migrations/14-ran.ts';

export type Db = Database.Database;

/** Each entry takes the schema from version n to n + 1; a released one is never edited. */
export const migrations: readonly string[] = [
  agents,
  keys,
  people,
  deliveries,
  tasks,
  crm,
  statistics,
  workflows,
  emails,
  origins,
  files,
  toolServers,
  pauses,
  ran,
];

export function openDatabase(file: string): Db {
  const db = open(file);
  // A killed process loses nothing by it, and each request counts in the database.
  db.pragma('synchronous = NORMAL');
  db.pragma('foreign_keys = ON');
  lockBeforeWriting(db);
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > migrations.length)
    throw new TypeError(`db: it has schema ${version}, and this service knows ${migrations.length}`);
  migrations.slice(version).forEach((sql, index) => {
    db.transaction(() => {
      db.exec(sql);
      db.exec(`PRAGMA user_version = ${version + index + 1}`);
    })();
  });
  return db;
}

/**
 * Makes each write begin by taking the lock: libsql never resets a statement that met a locked file, and with one of
 * those no later commit succeeds. What could not begin has left nothing behind.
 */
function lockBeforeWriting(db: Db) {
  const { prepare } = db;
  db.transaction = ((work: (...values: unknown[]) => unknown) =>
    (...values: unknown[]) => {
      db.exec('BEGIN IMMEDIATE');
      try {
        const result = work(...values);
        db.exec('COMMIT');
        return result;
      } catch (thrown) {
        // Of a full disk SQLite has gone back by itself, and that is what is to be told.
        if (db.inTransaction) db.exec('ROLLBACK');
        throw thrown;
      }
    }) as typeof db.transaction;
  db.prepare = ((sql: string) => {
    const statement = prepare.call(db, sql);
    if (!/^\s*(insert|update|delete|replace)\b/i.test(sql)) return statement;
    for (const name of ['run', 'get', 'all'] as const) {
      const act = statement[name].bind(statement) as (...values: unknown[]) => unknown;
      const locked = db.transaction(act);
      statement[name] = ((...values: unknown[]) =>
        db.inTransaction ? act(...values) : locked(...values)) as never;
    }
    return statement;
  }) as typeof prepare;
}

function open(file: string): Db {
  try {
    const db = new Database(file);
    // Before all else: one that ends may still hold the file while its successor starts.
    db.pragma('busy_timeout = 5000');
    db.pragma('journal_mode = WAL');
    return db;
  } catch (thrown) {
    throw new TypeError(`db: it cannot be opened (${(thrown as Error).message})`);
  }
}

type Row = Readonly<Record<string, string | number | Buffer | null>>;

/** The names of table and columns are this code's own. */
export function insertRow(db: Db, table: string, row: Row) {
  const columns = Object.keys(row);
  db.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  ).run(...Object.values(row));
}

/** The row with this id; the names of table and columns are this code's own. */
export function updateRow(db: Db, table: string, id: number, row: Row) {
  const assignments = Object.keys(row).map((column) => `${column} = ?`);
  db.prepare(`UPDATE ${table} SET ${assignments.join(', ')} WHERE id = ?`).run(...Object.values(row), id);
}

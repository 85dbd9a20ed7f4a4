/** One SQLite file as safe calls: each write a transaction, no wait that blocks, no failure that outlives its call. Node only. */
import { closeSync, openSync } from 'node:fs';
import Database from 'libsql';
import { keepText, readText } from './kept-text.ts';
import { migrate } from './sqlite-schema.ts';
import { StoreBusy } from './store.ts';

export type Row = Record<string, unknown>;

export type SqliteFile = {
  /** Runs `act` in one transaction. @throws StoreBusy when another process holds the file for too long */
  write<T>(act: () => T): Promise<T>;
  read<T>(act: () => T): Promise<T>;
  /** Inside `write` or `read`: all rows of a statement. */
  all<T>(sql: string, ...values: unknown[]): T[];
  one<T>(sql: string, ...values: unknown[]): T | undefined;
  /** Inside `write`: how many rows were changed. */
  run(sql: string, ...values: unknown[]): number;
  /** Moves all into the main file and empties the journal, so that what was deleted stands in neither; later tidies up. */
  wipe(): Promise<void>;
  close(): Promise<void>;
};

const longestWaitMs = 5_000;
const firstWaitMs = 5;
const mostWaitMs = 50;
const wipeTries = 10;
const wipeAgainMs = 1_000;
/** So long nothing more is deleted. */
const tidyAfterMs = 30_000;
/** So much is written anew without anybody waiting for it: 10 ms a megabyte. */
const mostTidied = 4_000_000;
const mostTidiedAtEnd = 64_000_000;

/** @throws TypeError when the file cannot be opened */
export function openSqliteFile(path: string): SqliteFile {
  let db: Database.Database | undefined;
  let statements = new Map<string, Database.Statement>();
  let wiping: ReturnType<typeof setTimeout> | undefined;
  let tidying: ReturnType<typeof setTimeout> | undefined;
  let isUntidy = false;
  let isClosed = false;
  let wasOpened = false;

  /** libsql never resets a statement that failed, and with one of those no later commit succeeds: so it all goes. */
  const reopenLater = () => {
    try {
      db?.exec('ROLLBACK');
    } catch {
      // No transaction was open.
    }
    try {
      db?.close();
    } catch {
      // What is left of it is the garbage collector's.
    }
    db = undefined;
    statements = new Map();
  };
  const open = (): Database.Database => {
    if (isClosed) throw new Error('The store is closed');
    if (db) return db;
    makeOwn(path);
    const opened = new Database(path);
    db = opened;
    // No wait inside SQLite: it would be one of the whole process.
    opened.pragma('busy_timeout = 0');
    opened.pragma('journal_mode = WAL');
    opened.pragma('synchronous = NORMAL');
    opened.pragma('secure_delete = ON');
    // What is written anew passes through no other file.
    opened.pragma('temp_store = MEMORY');
    migrate(opened);
    // A process that was killed may have left deleted words in the log of writes.
    if (!wasOpened) wipeLater();
    wasOpened = true;
    return opened;
  };
  const statement = (sql: string) => {
    let found = statements.get(sql);
    if (!found) {
      found = open().prepare(sql);
      statements.set(sql, found);
    }
    return found;
  };

  /** Tries again while another process has the file. */
  const patiently = async <T>(act: () => T): Promise<T> => {
    const until = performance.now() + longestWaitMs;
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(mostWaitMs, waitMs * 2)) {
      try {
        return act();
      } catch (error) {
        // One that could not even begin has left nothing behind.
        if (!(error instanceof StoreBusy)) reopenLater();
        if (!(error instanceof StoreBusy) && !isBusy(error)) throw error;
        if (performance.now() > until) throw new StoreBusy('The database is locked by another process');
      }
      await sleep(waitMs);
    }
  };
  const checkpoint = () => {
    try {
      const [row] = open().pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
      return row?.busy === 0;
    } catch (error) {
      reopenLater();
      if (isBusy(error)) return false;
      throw error;
    }
  };
  const empty = async () => {
    try {
      for (let tries = 0; tries < wipeTries; tries += 1) {
        if (checkpoint()) return;
        // Somebody still reads an older state, or writes.
        await sleep(mostWaitMs);
      }
    } catch {
      // Whatever it was, the text must go: see below.
    }
    wipeLater();
  };
  const wipeLater = () => {
    wiping ??= setTimeout(() => {
      wiping = undefined;
      if (!isClosed) void empty();
    }, wipeAgainMs);
    wiping.unref();
  };
  /** Rows that SQLite moves leave copies behind between those that stay: of a deleted word's the file is rid once all is written anew. */
  const tidy = async (mostBytes: number) => {
    try {
      const read = (name: string) => Object.values((open().pragma(name) as Row[])[0] ?? {})[0] as number;
      if (!isUntidy || read('page_count') * read('page_size') > mostBytes) return;
      open().exec('VACUUM');
      isUntidy = false;
      await empty();
    } catch {
      reopenLater();
      tidyLater();
    }
  };
  const tidyLater = () => {
    isUntidy = true;
    clearTimeout(tidying);
    tidying = setTimeout(() => {
      if (!isClosed) void tidy(mostTidied);
    }, tidyAfterMs).unref();
  };

  const file: SqliteFile = {
    write: (act) =>
      patiently(() => {
        const opened = open();
        begin(opened);
        const result = act();
        opened.exec('COMMIT');
        return result;
      }),
    read: (act) => patiently(act),
    all: <T>(sql: string, ...values: unknown[]) =>
      statement(sql)
        .all(...values.map(toKeptValue))
        .map(toPlain) as T[],
    one: <T>(sql: string, ...values: unknown[]) => file.all<T>(sql, ...values)[0],
    run: (sql, ...values) => statement(sql).run(...values.map(toKeptValue)).changes,
    async wipe() {
      tidyLater();
      await empty();
    },
    async close() {
      if (isClosed) return;
      await empty();
      await tidy(mostTidiedAtEnd);
      isClosed = true;
      clearTimeout(wiping);
      clearTimeout(tidying);
      db?.close();
    },
  };

  try {
    open();
  } catch (error) {
    reopenLater();
    // A file that another process holds now may be free at the first call.
    if (!isBusy(error)) throw new TypeError(`store: ${path} cannot be opened as a SQLite database`);
  }
  return file;
}

/**
 * A new file is its owner's alone to read, and so are the journals that SQLite makes beside it. One that exists is not
 * touched: to close any descriptor of a file gives up the locks that this process has on it.
 */
function makeOwn(path: string): void {
  // In memory, by an address, or on a drive that knows no modes.
  if (/^\w*:/.test(path)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // It exists, or SQLite says what is wrong with it.
  }
}

function begin(db: Database.Database): void {
  try {
    db.exec('BEGIN IMMEDIATE');
  } catch (error) {
    throw isBusy(error) ? new StoreBusy('The database is locked') : error;
  }
}

function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(String((error as { code?: unknown }).code));
}

const toKeptValue = (value: unknown) => (typeof value === 'string' ? keepText(value) : value);

/** SQLite's null is the port's undefined. */
function toPlain(row: unknown): unknown {
  return Object.fromEntries(
    Object.entries(row as object).map(([column, value]) => [
      column,
      typeof value === 'string' ? readText(value) : (value ?? undefined),
    ]),
  );
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

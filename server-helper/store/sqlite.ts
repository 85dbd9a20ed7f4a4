/** A store in one SQLite file: survives a restart and a kill, and may be shared by several processes. Node only. */
import { conversationColumns, createSqliteConversations } from './sqlite-conversations.ts';
import { openSqliteFile } from './sqlite-file.ts';
import { createSqliteTurns } from './sqlite-turns.ts';
import { type ConversationRecord, type Store, type Tally, toOwnerKeys } from './store.ts';

/**
 * @param path of the database, made when absent; its folder must exist
 * @throws TypeError when it cannot be opened
 */
export function createSqliteStore(path: string, now: () => number = Date.now): Store {
  const file = openSqliteFile(path);
  const { all, one, run } = file;
  const conversations = createSqliteConversations(file, now);
  let isWipeDue = false;

  const recall = (key: string) =>
    one<{ value: string }>(
      'SELECT value FROM facts WHERE key = ? AND (until IS NULL OR until > ?)',
      key,
      now(),
    )?.value;
  const put = (key: string, value: string, ttlMs: number | undefined) =>
    run(
      'INSERT OR REPLACE INTO facts (key, value, until) VALUES (?, ?, ?)',
      key,
      value,
      ttlMs === undefined ? null : now() + ttlMs,
    );

  return {
    ...conversations.methods,
    ...createSqliteTurns(file, now, conversations),
    mergeOwner: (from, to) =>
      file.write(() => {
        if (run('INSERT INTO merged (owner, at) VALUES (?, ?) ON CONFLICT DO NOTHING', from, now()) === 0)
          return false;
        for (const { bot } of all<{ bot: string }>(
          'SELECT DISTINCT bot FROM conversations WHERE owner = ?',
          from,
        ))
          run('DELETE FROM facts WHERE key = ?', toOwnerKeys(from, bot).workspace);
        run('UPDATE conversations SET owner = ? WHERE owner = ?', to, from);
        return true;
      }),
    isMerged: (owner) => file.read(() => one('SELECT 1 FROM merged WHERE owner = ?', owner) !== undefined),
    remember: async (key, value, ttlMs) =>
      (await file.read(() => recall(key))) ??
      file.write(() => {
        const stands = recall(key);
        if (stands === undefined) put(key, value, ttlMs);
        return stands ?? value;
      }),
    replace: (key, value, ttlMs) => file.write(() => void put(key, value, ttlMs)),
    recall: (key) => file.read(() => recall(key)),
    forget: (key, only) =>
      file.write(() =>
        only === undefined
          ? void run('DELETE FROM facts WHERE key = ?', key)
          : void run('DELETE FROM facts WHERE key = ? AND value = ?', key, only),
      ),
    addTallies: (bot, tallies, keptFrom) =>
      file.write(() => {
        run('DELETE FROM tallies WHERE bot = ? AND hour < ?', bot, keptFrom);
        for (const { hour, name, count } of tallies)
          run(
            `INSERT INTO tallies (bot, hour, name, count) VALUES (?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET count = count + excluded.count`,
            bot,
            hour,
            name,
            count,
          );
      }),
    readTallies: (bot, fromHour) =>
      file.read(() =>
        all<Tally>('SELECT hour, name, count FROM tallies WHERE bot = ? AND hour >= ?', bot, fromHour),
      ),
    async purge(bot, before, limit) {
      const gone = await file.write(() => {
        const guests = all<ConversationRecord>(
          `SELECT ${conversationColumns} FROM conversations
           WHERE deleted = 0 AND substr(owner, 1, 10) = 'anonymous:' AND bot IN (?, '') AND updatedAt < ? LIMIT ?`,
          bot,
          before.guests,
          limit,
        );
        for (const conversation of guests) conversations.drop(conversation);
        let left = limit - guests.length;
        const drop = (table: string, over: string, beforeMs: number) => {
          if (left > 0)
            left -= run(
              `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${over} LIMIT ?)`,
              beforeMs,
              left,
            );
        };
        drop('conversations', 'deleted = 1 AND deletedAt < ?', before.tombstones);
        drop('merged', 'at < ?', before.merged);
        drop('facts', 'until IS NOT NULL AND until <= ?', before.facts);
        return limit - left;
      });
      // Once the last of it has gone, be that with this batch or the one before.
      isWipeDue ||= gone > 0;
      if (isWipeDue && gone < limit) {
        isWipeDue = false;
        await file.wipe();
      }
      return gone;
    },
    check: () => file.write(() => void put('checked', String(now()), undefined)),
    close: () => file.close(),
  };
}

/** Conversations in a SQLite store: who owns them, what they are pinned to, and how they go. Node only. */
import type { SqliteFile } from './sqlite-file.ts';
import { type ConversationRecord, type Deleted, type Leftover, type Store, toOwnerKeys } from './store.ts';

type ConversationMethods = Pick<
  Store,
  | 'findConversation'
  | 'listConversations'
  | 'updateConversation'
  | 'pinWorkspace'
  | 'deleteConversation'
  | 'eraseOwner'
  | 'putLeftovers'
  | 'listLeftovers'
  | 'leftoverDone'
  | 'leftoverTried'
>;

export const conversationColumns =
  'id, owner, bot, chatId, title, mode, workspace, workspaceOf, createdAt, updatedAt';
/** A conversation of before agents were told apart is any agent's. */
const ofBot = `bot IN (?, '')`;

export function createSqliteConversations(file: SqliteFile, now: () => number) {
  const { all, one, run } = file;
  const find = (id: string) =>
    one<ConversationRecord>(
      `SELECT ${conversationColumns} FROM conversations WHERE id = ? AND deleted = 0`,
      id,
    );
  const putLeftover = ({ kind, id, bot }: Pick<Leftover, 'kind' | 'id' | 'bot'>) =>
    run('INSERT INTO leftovers (kind, id, bot) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', kind, id, bot);
  const forget = (key: string) => run('DELETE FROM facts WHERE key = ?', key);

  /** Inside a transaction: leaves a tombstone. */
  const drop = (conversation: ConversationRecord): Deleted => {
    const { id, owner, bot, chatId, workspace, workspaceOf } = conversation;
    const running = one(`SELECT 1 FROM turns WHERE conversationId = ? AND status = 'running'`, id);
    const deleted = { conversation, wasRunning: running !== undefined };
    run(
      `UPDATE conversations SET deleted = 1, deletedAt = ?, title = '', owner = '', chatId = '', workspace = NULL
       WHERE id = ?`,
      now(),
      id,
    );
    run('DELETE FROM turns WHERE conversationId = ?', id);
    putLeftover({ kind: 'chat', id: chatId, bot });
    if (workspace === undefined || workspaceOf === undefined) return deleted;
    const isUsed = one(
      'SELECT 1 FROM conversations WHERE workspaceOf IS NOT NULL AND workspace = ? LIMIT 1',
      workspace,
    );
    if (isUsed) return deleted;
    putLeftover({ kind: 'workspace', id: workspace, bot });
    if (workspaceOf === 'visitor')
      run('DELETE FROM facts WHERE key = ? AND value = ?', toOwnerKeys(owner, bot).workspace, workspace);
    return deleted;
  };

  const methods: ConversationMethods = {
    findConversation: (id) => file.read(() => find(id)),
    listConversations: (owner, bot, { limit, before }) =>
      file.read(() => {
        const from = before ?? { updatedAt: Number.MAX_SAFE_INTEGER, id: '' };
        return all<ConversationRecord>(
          `SELECT ${conversationColumns} FROM conversations
           WHERE owner = ? AND deleted = 0 AND ${ofBot} AND (updatedAt < ? OR (updatedAt = ? AND id < ?))
           ORDER BY updatedAt DESC, id DESC LIMIT ?`,
          owner,
          bot,
          from.updatedAt,
          from.updatedAt,
          from.id,
          limit,
        );
      }),
    updateConversation: (id, { title, mode }) =>
      file.write(() => {
        run(
          'UPDATE conversations SET title = coalesce(?, title), mode = coalesce(?, mode) WHERE id = ? AND deleted = 0',
          title ?? null,
          mode ?? null,
          id,
        );
      }),
    pinWorkspace: (id, workspace, workspaceOf, instead) =>
      file.write(() => {
        run(
          `UPDATE conversations SET workspace = ?, workspaceOf = ?
           WHERE id = ? AND deleted = 0 AND (workspace IS NULL OR workspace = ?)`,
          workspace,
          workspaceOf ?? null,
          id,
          instead ?? null,
        );
        return find(id)?.workspace;
      }),
    async deleteConversation(id) {
      const deleted = await file.write(() => {
        const found = find(id);
        return found && drop(found);
      });
      await file.wipe();
      return deleted;
    },
    async eraseOwner(owner, bot) {
      const erased = await file.write(() => {
        const found = all<ConversationRecord>(
          `SELECT ${conversationColumns} FROM conversations WHERE owner = ? AND deleted = 0 AND ${ofBot}`,
          owner,
          bot,
        );
        const deleted = found.map(drop);
        const keys = toOwnerKeys(owner, bot);
        const kept = one<{ value: string }>('SELECT value FROM facts WHERE key = ?', keys.workspace);
        if (kept) putLeftover({ kind: 'workspace', id: kept.value, bot });
        for (const key of Object.values(keys)) forget(key);
        return deleted;
      });
      await file.wipe();
      return erased;
    },
    putLeftovers: (leftovers) =>
      file.write(() => {
        for (const leftover of leftovers) putLeftover(leftover);
      }),
    listLeftovers: (bot, limit) =>
      file.read(() =>
        all<Leftover>(
          `SELECT kind, id, bot, tries FROM leftovers WHERE ${ofBot} AND nextAt <= ? ORDER BY nextAt, rowid LIMIT ?`,
          bot,
          now(),
          limit,
        ),
      ),
    leftoverDone: ({ kind, id }) =>
      file.write(() => void run('DELETE FROM leftovers WHERE kind = ? AND id = ?', kind, id)),
    leftoverTried: ({ kind, id }, nextAt) =>
      file.write(
        () =>
          void run(
            'UPDATE leftovers SET tries = tries + 1, nextAt = ? WHERE kind = ? AND id = ?',
            nextAt,
            kind,
            id,
          ),
      ),
  };
  return { methods, find, drop };
}

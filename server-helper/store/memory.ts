/** A store in this process's memory: for trying out and for tests; a restart forgets everything. */
import type { ConversationRecord, Store, TurnRecord } from './store.ts';

type Kept = ConversationRecord & { deleted: boolean; chatDeleted: boolean };

export function createMemoryStore(now: () => number = Date.now): Store {
  const conversations = new Map<string, Kept>();
  const turns = new Map<string, Map<string, TurnRecord>>();
  const facts = new Map<string, { value: string; until: number }>();
  const merged = new Set<string>();

  const living = (id: string) => {
    const found = conversations.get(id);
    return found && !found.deleted ? found : undefined;
  };
  const toRecord = ({ deleted: _, chatDeleted: __, ...record }: Kept): ConversationRecord => record;
  const turnsOf = (id: string) => turns.get(id) ?? new Map<string, TurnRecord>();
  const isLive = (turn: TurnRecord) => turn.status === 'running' || turn.status === 'paused';
  const liveOf = (id: string) => [...turnsOf(id).values()].find(isLive);
  const fact = (key: string) => {
    const found = facts.get(key);
    if (found && found.until <= now()) facts.delete(key);
    return facts.get(key)?.value;
  };

  return {
    async claimConversation(record) {
      const known = conversations.get(record.id);
      if (!known) conversations.set(record.id, { ...record, deleted: false, chatDeleted: false });
      const found = living(record.id);
      return found && found.owner === record.owner ? toRecord(found) : undefined;
    },
    async findConversation(id) {
      const found = living(id);
      return found && toRecord(found);
    },
    async listConversations(owner, { limit, before }) {
      return [...conversations.values()]
        .filter((one) => !one.deleted && one.owner === owner)
        .filter(
          (one) =>
            !before ||
            one.updatedAt < before.updatedAt ||
            (one.updatedAt === before.updatedAt && one.id < before.id),
        )
        .sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1))
        .slice(0, limit)
        .map(toRecord);
    },
    async updateConversation(id, change) {
      const found = living(id);
      if (found) Object.assign(found, change);
    },
    async deleteConversation(id) {
      const found = living(id);
      if (found) Object.assign(found, { deleted: true, title: '', owner: '', workspace: undefined });
      turns.delete(id);
    },
    async listUndeletedChats(limit) {
      return [...conversations.values()]
        .filter((one) => one.deleted && !one.chatDeleted)
        .slice(0, limit)
        .map(({ id, chatId }) => ({ id, chatId }));
    },
    async chatDeleted(id) {
      const found = conversations.get(id);
      if (found?.deleted) found.chatDeleted = true;
    },
    async beginTurn(turn) {
      if (!living(turn.conversationId)) return { kind: 'gone' };
      const all = turnsOf(turn.conversationId);
      const known = all.get(turn.id);
      if (known) return { kind: 'known', turn: { ...known } };
      const live = liveOf(turn.conversationId);
      if (live) return { kind: 'running', turn: { ...live } };
      all.set(turn.id, { ...turn });
      turns.set(turn.conversationId, all);
      return { kind: 'began', turn };
    },
    async findTurn(conversationId, id) {
      const found = turnsOf(conversationId).get(id);
      return found && { ...found };
    },
    async listTurns(conversationId) {
      return [...turnsOf(conversationId).values()].map((turn) => ({ ...turn }));
    },
    async findLiveTurn(conversationId) {
      const found = liveOf(conversationId);
      return found && { ...found };
    },
    async updateTurn(conversationId, id, change) {
      const found = turnsOf(conversationId).get(id);
      if (found) Object.assign(found, change);
    },
    async settleTurn(conversationId, id, change) {
      const found = turnsOf(conversationId).get(id);
      if (!found || !isLive(found)) return false;
      Object.assign(found, change);
      return true;
    },
    async takePause(conversationId, id) {
      const found = turnsOf(conversationId).get(id);
      const pause = found?.pause;
      if (found) found.pause = undefined;
      return pause;
    },
    async dropTurnsFrom(conversationId, id, keepId) {
      const all = turnsOf(conversationId);
      let dropping = false;
      for (const key of [...all.keys()]) {
        dropping ||= key === id;
        if (dropping && key !== keepId) all.delete(key);
      }
    },
    async mergeOwner(from, to) {
      if (merged.has(from)) return false;
      merged.add(from);
      for (const one of conversations.values()) if (one.owner === from) one.owner = to;
      return true;
    },
    async remember(key, value, ttlMs) {
      const stands = fact(key);
      if (stands !== undefined) return stands;
      facts.set(key, { value, until: ttlMs === undefined ? Number.POSITIVE_INFINITY : now() + ttlMs });
      return value;
    },
    async isMerged(owner) {
      return merged.has(owner);
    },
    async replace(key, value, ttlMs) {
      facts.set(key, { value, until: now() + ttlMs });
    },
    async recall(key) {
      return fact(key);
    },
    async forget(key) {
      facts.delete(key);
    },
    async check() {},
    async close() {},
  };
}

/** A store in this process's memory: for trying out and for tests; a restart forgets everything. */
import { createMemoryFacts } from './memory-facts.ts';
import {
  type BeginTurn,
  type ConversationRecord,
  type Deleted,
  longestLeaseMs,
  type Store,
  type TurnRecord,
  toOwnerKeys,
  toTurnTime,
} from './store.ts';

type Kept = ConversationRecord & { deletedAt: number | undefined };

export function createMemoryStore(now: () => number = Date.now): Store {
  const conversations = new Map<string, Kept>();
  const turns = new Map<string, Map<string, TurnRecord>>();
  /** Looked through every second, so they are kept apart. */
  const running = new Set<TurnRecord>();
  const merged = new Map<string, number>();
  const facts = createMemoryFacts(now);

  const living = (id: string) => {
    const found = conversations.get(id);
    return found && found.deletedAt === undefined ? found : undefined;
  };
  const allLiving = () => [...conversations.values()].filter(({ deletedAt }) => deletedAt === undefined);
  const toRecord = ({ deletedAt: _, ...record }: Kept): ConversationRecord => record;
  const turnsOf = (id: string) => turns.get(id) ?? new Map<string, TurnRecord>();
  const findTurn = (conversationId: string, id: string) => turnsOf(conversationId).get(id);
  const isLive = (turn: TurnRecord) => turn.status === 'running' || turn.status === 'paused';
  const liveOf = (id: string) => [...turnsOf(id).values()].find(isLive);

  const drop = (found: Kept): Deleted => {
    const { owner, bot, chatId, workspace, workspaceOf } = found;
    const deleted = { conversation: toRecord(found), wasRunning: liveOf(found.id)?.status === 'running' };
    Object.assign(found, { deletedAt: now(), title: '', owner: '', chatId: '', workspace: undefined });
    for (const turn of turnsOf(found.id).values()) running.delete(turn);
    turns.delete(found.id);
    facts.putLeftover('chat', chatId, bot);
    if (workspace === undefined || workspaceOf === undefined) return deleted;
    // One of its own is nobody else's.
    const isShared =
      workspaceOf !== 'conversation' && allLiving().some((other) => other.workspace === workspace);
    if (isShared) return deleted;
    facts.putLeftover('workspace', workspace, bot);
    if (workspaceOf === 'visitor') facts.forget(toOwnerKeys(owner, bot).workspace, workspace);
    return deleted;
  };

  return {
    async beginTurn(conversation, turn): Promise<BeginTurn> {
      const { id, owner, bot } = conversation;
      if (merged.has(owner)) return { kind: 'gone' };
      const known = conversations.get(id);
      if (known && (known.deletedAt !== undefined || known.owner !== owner || known.bot !== bot))
        return { kind: 'gone' };
      const all = turnsOf(id);
      const same = all.get(turn.id);
      if (known && same) return { kind: 'known', conversation: toRecord(known), turn: { ...same } };
      const live = liveOf(id);
      if (known && live) return { kind: 'running', conversation: toRecord(known), turn: { ...live } };
      const kept = known ?? { ...conversation, deletedAt: undefined };
      kept.updatedAt = conversation.updatedAt;
      conversations.set(id, kept);
      const last = [...all.values()].reduce<number | undefined>(
        (latest, { at }) => Math.max(latest ?? at, at),
        undefined,
      );
      const begun = { ...turn, at: toTurnTime(turn.at, last) };
      turns.set(id, all.set(turn.id, begun));
      running.add(begun);
      return { kind: 'began', conversation: toRecord(kept), turn: { ...begun } };
    },
    async findConversation(id) {
      const found = living(id);
      return found && toRecord(found);
    },
    async listConversations(owner, bot, { limit, before }) {
      return allLiving()
        .filter((one) => one.owner === owner && one.bot === bot)
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
    async pinWorkspace(id, workspace, workspaceOf, instead) {
      const found = living(id);
      if (found && (found.workspace === undefined || found.workspace === instead))
        Object.assign(found, { workspace, workspaceOf });
      return found?.workspace;
    },
    async deleteConversation(id) {
      const found = living(id);
      return found && drop(found);
    },
    async eraseOwner(owner, bot) {
      const all = allLiving().filter((one) => one.owner === owner && one.bot === bot);
      const deleted = all.map(drop);
      const keys = toOwnerKeys(owner, bot);
      const workspace = facts.recall(keys.workspace);
      if (workspace !== undefined) facts.putLeftover('workspace', workspace, bot);
      for (const key of Object.values(keys)) facts.forget(key);
      return deleted;
    },
    ...facts.ofStore,

    async findTurn(conversationId, id) {
      const found = findTurn(conversationId, id);
      return found && { ...found };
    },
    async listTurns(conversationId, page) {
      const all = [...turnsOf(conversationId).values()].map((turn) => ({ ...turn }));
      const { before = Number.POSITIVE_INFINITY, limit = all.length } = page ?? {};
      return all.filter(({ at }) => at < before).slice(-limit);
    },
    async forgetTexts(conversationId, ids) {
      for (const id of ids)
        Object.assign(findTurn(conversationId, id) ?? {}, { question: '', answer: undefined });
    },
    async findLiveTurn(conversationId) {
      const found = liveOf(conversationId);
      return found && { ...found };
    },
    async voteTurn(conversationId, id, vote) {
      const found = findTurn(conversationId, id);
      const before = found?.vote;
      if (found) found.vote = vote;
      return before;
    },
    async setTeller(conversationId, id, teller) {
      const found = findTurn(conversationId, id);
      if (found) found.teller = teller;
    },
    async setEarlier(conversationId, id, earlier) {
      const found = findTurn(conversationId, id);
      if (found) found.earlier = earlier;
    },
    async endTurn(conversationId, id, change, from) {
      const found = findTurn(conversationId, id);
      if (!found || found.status !== from.status) return false;
      if (from.status === 'running' && from.runner !== undefined && found.runner !== from.runner)
        return false;
      Object.assign(found, change, { runner: undefined, leaseUntil: undefined });
      running.delete(found);
      return true;
    },
    async resumeTurn(conversationId, id, { runner, until }, by = {}) {
      const found = findTurn(conversationId, id);
      if (found?.status !== 'paused' || found.pause === undefined) return undefined;
      const { pause } = found;
      if (by.pause !== undefined && pause !== by.pause) return undefined;
      const { earlier = found.earlier } = by;
      Object.assign(found, { status: 'running', pause: undefined, runner, leaseUntil: until, earlier });
      running.add(found);
      return pause;
    },
    async takeTurn(conversationId, id, { runner, until }) {
      const found = findTurn(conversationId, id);
      const ends = found?.leaseUntil ?? 0;
      if (found?.status !== 'running' || (ends > now() && ends <= now() + longestLeaseMs)) return undefined;
      Object.assign(found, { runner, leaseUntil: until });
      return { ...found };
    },
    async renewTurns({ runner, until }) {
      const held = [...running].filter((turn) => turn.runner === runner);
      for (const turn of held) turn.leaseUntil = until;
      return held.map(({ conversationId, id }) => ({ conversationId, id }));
    },
    async releaseTurns(runner) {
      for (const turn of running) if (turn.runner === runner) turn.leaseUntil = 0;
    },
    async dropTurnsFrom(conversationId, id, keepId) {
      const all = turnsOf(conversationId);
      let dropping = false;
      for (const key of [...all.keys()]) {
        if (key === keepId) break;
        dropping ||= key === id;
        if (!dropping) continue;
        running.delete(all.get(key) as TurnRecord);
        all.delete(key);
      }
    },

    async mergeOwner(from, to) {
      if (merged.has(from)) return false;
      merged.set(from, now());
      for (const one of conversations.values()) {
        if (one.owner !== from) continue;
        one.owner = to;
        facts.forget(toOwnerKeys(from, one.bot).workspace);
      }
      return true;
    },
    async isMerged(owner) {
      return merged.has(owner);
    },
    async purge(bot, before, limit) {
      let left = limit;
      const take = <T>(all: Iterable<T>, isOver: (one: T) => boolean, remove: (one: T) => void) => {
        for (const one of all) {
          if (left === 0) return;
          if (!isOver(one)) continue;
          remove(one);
          left -= 1;
        }
      };
      const isGuests = (one: Kept) =>
        one.bot === bot && one.owner.startsWith('anonymous:') && one.updatedAt < before.guests;
      take(allLiving(), isGuests, drop);
      take(
        conversations.values(),
        ({ deletedAt }) => deletedAt !== undefined && deletedAt < before.tombstones,
        ({ id }) => conversations.delete(id),
      );
      take(
        merged,
        ([, at]) => at < before.merged,
        ([owner]) => merged.delete(owner),
      );
      return limit - left + facts.purge(before.facts, left);
    },
    async check() {},
    async close() {},
  };
}

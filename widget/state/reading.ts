/** Reads a conversation from the helper, newest page first, and follows what runs in it. */
import type { ConversationReply } from '../../server-helper/protocol/wire.ts';
import type { Situation } from '../states.ts';
import type { SessionKeeper } from '../transport/session.ts';
import type { Entry } from './entries.ts';
import type { Screen } from './screen.ts';
import { createAnswer } from './turn.ts';

export type ReadingDeps = {
  sessions: SessionKeeper;
  screen: Screen;
  follow: (conversationId: string, entry: Entry) => Promise<void>;
  say: (situation: Situation, again?: () => void) => (error: unknown) => void;
};

export function createReading({ sessions, screen, follow, say }: ReadingDeps) {
  const { id, entries, loading, older, problem } = screen;
  const read = async (conversationId: string, query = '') => {
    const path = `/conversations/${conversationId}${query}`;
    const response = await sessions.call({ method: 'GET', path, signal: screen.signal });
    return (await response.json()) as ConversationReply;
  };
  const reload = async (conversationId: string): Promise<void> => {
    const before = entries.value;
    const reply = await read(conversationId);
    if (id.value !== conversationId) return;
    screen.show(reply, before);
    const live = reply.liveTurn?.turnId;
    if (live === undefined) return;
    const entry = screen.find(live) ?? screen.add(live, undefined, createAnswer(live, 'writing'));
    entry.known = true;
    entry.answer.value ??= createAnswer(live, 'writing');
    if (!screen.isFollowed(entry)) void follow(conversationId, entry);
  };
  const reloadOrSay = (conversationId: string): Promise<void> =>
    reload(conversationId).catch(say('resume-failed', () => reloadOrSay(conversationId)));
  const loadOlder = async (): Promise<void> => {
    const conversationId = id.value;
    if (older.value === undefined || conversationId === undefined || loading.value) return;
    loading.value = true;
    problem.value = undefined;
    const { signal } = screen;
    try {
      const reply = await read(conversationId, `?cursor=${encodeURIComponent(older.value)}`);
      if (!signal.aborted) screen.showOlder(reply);
    } catch (error) {
      say('older-failed', loadOlder)(error);
    } finally {
      if (!signal.aborted) loading.value = false;
    }
  };
  return { reload, reloadOrSay, loadOlder };
}

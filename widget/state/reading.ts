/** Reads a conversation from the helper, and follows what runs in it. */
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
  const { id, entries } = screen;
  const read = async (conversationId: string, query = '') => {
    const path = `/conversations/${conversationId}${query}`;
    const response = await sessions.call({ method: 'GET', path, signal: screen.signal });
    return (await response.json()) as ConversationReply;
  };
  let goOn = async () => {};
  /** One function, however often it is to be done. */
  const onSeen = () => void goOn();
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
    // A browser has few connections to a host for all its tabs: one that nobody sees takes none of them.
    if (document.hidden) {
      // What cannot be read then is followed, which does not give up, if it is on screen still and not over.
      goOn = () =>
        reload(conversationId).catch(() => {
          const now = screen.find(live);
          if (now?.answer.value?.status === 'writing') return follow(conversationId, now);
        });
      document.addEventListener('visibilitychange', onSeen, { once: true, signal: screen.signal });
    } else if (!screen.isFollowed(entry)) void follow(conversationId, entry);
  };
  const reloadOrSay = (conversationId: string): Promise<void> =>
    reload(conversationId).catch(say('resume-failed', () => reloadOrSay(conversationId)));
  const loadOlder = (): Promise<void> =>
    import('../rare.ts').then((part) => part.readOlder(screen, read)).catch(say('older-failed', loadOlder));
  return { reload, reloadOrSay, loadOlder };
}

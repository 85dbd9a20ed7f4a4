/** The turns that run now: at most one a conversation, detached from the connections that watch it. */

import { AgentError, toAgentError } from '../errors.ts';
import { createReply, type Reply } from './reply.ts';
import type { WireChat, WirePause } from './wire.ts';

/** How a turn ended: the last frame of its stream, and what a caller who did not stream is answered. */
export type TurnEnd =
  | { frame: 'done'; chat: WireChat }
  | { frame: 'approval'; chat: WireChat & WirePause; pause: WirePause };

export interface Turn {
  readonly reply: Reply;
  /** Settles when the turn has ended and its record is saved. Rejects with an AgentError. */
  readonly finished: Promise<TurnEnd>;
}

export interface TurnWork {
  botId: string;
  chatId: string;
  messageId: string;
  /** Must settle soon after the signal aborts. */
  run(reply: Reply, signal: AbortSignal): Promise<TurnEnd>;
}

export interface Turns {
  /** 409 `chat_busy` when one runs already. */
  start(work: TurnWork): Turn;
  requireIdle(botId: string, chatId: string): void;
  find(botId: string, chatId: string): Turn | undefined;
  list(botId: string): Turn[];
  /** True when something was running; resolves once its record is saved. */
  cancel(botId: string, chatId: string): Promise<boolean>;
  close(): Promise<void>;
}

export function createTurns(): Turns {
  const running = new Map<string, { turn: Turn; botId: string; abort: AbortController }>();
  const toKey = (botId: string, chatId: string) => JSON.stringify([botId, chatId]);

  const requireIdle = (botId: string, chatId: string) => {
    if (running.has(toKey(botId, chatId)))
      throw new AgentError(409, 'chat_busy', 'A turn of this conversation is running.');
  };

  const cancel = async (key: string): Promise<boolean> => {
    const entry = running.get(key);
    if (!entry) return false;
    entry.abort.abort();
    await entry.turn.finished.catch(() => {});
    return true;
  };

  async function runToEnd(key: string, reply: Reply, work: () => Promise<TurnEnd>): Promise<TurnEnd> {
    // The entry goes before the last frame: who reads that frame may call again at once.
    try {
      const end = await work();
      running.delete(key);
      reply.push(end.frame, end.frame === 'done' ? { chat: end.chat } : end.pause);
      return end;
    } catch (thrown) {
      const error = toAgentError(thrown);
      running.delete(key);
      reply.push('error', { error: { message: error.message, code: error.code } });
      throw error;
    } finally {
      reply.end();
    }
  }

  return {
    requireIdle,
    start({ botId, chatId, messageId, run }) {
      requireIdle(botId, chatId);
      const key = toKey(botId, chatId);
      const abort = new AbortController();
      const reply = createReply(chatId, messageId);
      // Starts one microtask later, so that the entry is there before the work can end.
      const finished = Promise.resolve().then(() => runToEnd(key, reply, () => run(reply, abort.signal)));
      // A streamed turn has nobody who awaits it.
      finished.catch(() => {});
      const turn = { reply, finished };
      running.set(key, { turn, botId, abort });
      return turn;
    },
    find: (botId, chatId) => running.get(toKey(botId, chatId))?.turn,
    list: (botId) => [...running.values()].filter((entry) => entry.botId === botId).map(({ turn }) => turn),
    cancel: (botId, chatId) => cancel(toKey(botId, chatId)),
    async close() {
      await Promise.all([...running.keys()].map(cancel));
    },
  };
}

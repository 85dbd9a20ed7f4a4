/** What the visitor sent and the helper is not known to have: held in this tab, or kept over a reload. */
import type { WidgetCode } from '../errors.ts';
import type { Entry } from './entries.ts';
import type { Memory } from './memory.ts';
import type { Screen } from './screen.ts';
import { createAnswer } from './turn.ts';

type Held = { turnId: string; text: string; replaces: string | undefined };

export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox(memory: Memory, screen: Screen, makeId: () => string) {
  /** Sent before it was known whose conversation is shown. */
  let held: Held | undefined;
  const show = () => {
    if (!held) return;
    screen.add(held.turnId, held.text, createAnswer(held.turnId, 'sending'));
    screen.running.value = held.turnId;
  };

  return {
    hold(text: string, replaces: string | undefined): void {
      if (held) return;
      held = { turnId: makeId(), text, replaces };
      show();
    },
    /** Shows the conversation `id` next, and below it what is held. */
    clear(id: string | undefined): void {
      screen.clear(id);
      show();
    },
    /** It is known whose it is. */
    release(send: (text: string, replaces?: string) => void): void {
      const one = held;
      held = undefined;
      if (!one) return;
      screen.entries.value = screen.entries.value.filter(({ turnId }) => turnId !== one.turnId);
      if (screen.running.value === one.turnId) screen.running.value = undefined;
      send(one.text, one.replaces);
    },
    /** Somebody else is there. */
    hide(): void {
      held = undefined;
      screen.clear(undefined);
    },
    /** The helper never had it: there is nothing to stop but the trying. */
    giveUp(entry: Entry, code: WidgetCode | undefined): void {
      held = undefined;
      this.forget(entry.turnId);
      screen.endAll();
      const answer = createAnswer(entry.turnId, code ? 'failed' : 'stopped');
      entry.answer.value = code ? { ...answer, code } : answer;
    },
    /** The one place is shared by all tabs: another one's question stays in it. */
    forget(turnId: string): void {
      if (memory.read().pending?.turnId === turnId) memory.change({ pending: undefined });
    },
    /** It stays, to be sent again by a click alone. */
    refuse(turnId: string, code: WidgetCode): void {
      const { pending } = memory.read();
      if (pending?.turnId === turnId) memory.change({ pending: { ...pending, code } });
    },
  };
}

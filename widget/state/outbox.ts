/** What the visitor sent and the helper is not known to have: held in this tab, or kept over a reload. */
import type { TurnRequest } from '../../server-helper/protocol/wire.ts';
import { isRetryable, type WidgetCode, type WidgetError } from '../errors.ts';
import type { Entry } from './entries.ts';
import { type Departure, unknown, type Who } from './happening.ts';
import type { Memory } from './memory.ts';
import type { Screen } from './screen.ts';
import { type Answer, createAnswer } from './turn.ts';
import { join, type Unsent } from './unsent.ts';

/** `veil`: under which it was sent. `error`: why there was no session for it, and a click alone sends it again. */
type Held = { turnId: string; question: TurnRequest; veil: number; error?: WidgetError | undefined };

export type Outbox = ReturnType<typeof createOutbox>;

export type OutboxDeps = {
  unsent: Unsent;
  /** Which veil hides what was there before; 0 for none. */
  readVeil: () => number;
  onTakenBack: (text: string) => void;
};

/** @param readTypist whose is what is typed now */
export function createOutbox(
  memory: Memory,
  screen: Screen,
  readTypist: () => Who,
  { unsent, readVeil, onTakenBack }: OutboxDeps,
) {
  /** Sent before it was known whose conversation is shown. */
  let held: readonly Held[] = [];
  /** Those for which there was no session, and there is one now. */
  let refused: readonly Held[] = [];
  const findWaiting = () => held.find(({ error }) => !error);
  const toAnswer = ({ turnId, error }: Held): Answer => ({
    ...createAnswer(turnId, error ? 'failed' : 'sending'),
    code: error?.code,
    retryAfterMs: error?.retryAfterMs,
  });
  const show = (one: Held) => {
    const { turnId, question, error } = one;
    screen.add(turnId, question, toAnswer(one));
    if (!error) screen.running.value = turnId;
  };

  /** They are asked, or drafts again. */
  const dropRefused = () => {
    if (refused.length > 0) unsent.empty();
    refused = [];
  };

  /** Each that stands here goes back to where it was written. */
  const toDrafts = (some: readonly Pick<Held, 'turnId' | 'question'>[]) => {
    for (const { turnId, question } of some)
      if (screen.find(turnId)) {
        screen.remove(turnId);
        onTakenBack(question.text);
      }
  };

  /** Another question is asked. */
  const giveBack = (asked: string) => {
    toDrafts([...refused, ...held.filter(({ error }) => error)].filter(({ turnId }) => turnId !== asked));
    dropRefused();
    held = held.filter(({ error }) => !error);
  };

  return {
    show,
    hold(turnId: string, question: TurnRequest): void {
      if (findWaiting()) return;
      giveBack(turnId);
      const one = { turnId, question, veil: readVeil() };
      held = [one];
      this.keepDraft('');
      show(one);
    },
    /** Written, or sent, while it is not known who is there. */
    keepDraft(draft: string): void {
      const text = join(...[...refused, ...held].map(({ question }) => question.text), draft);
      const typist = readTypist();
      const isUnsure = typist === unknown;
      if (text === '') unsent.empty();
      else unsent.keep(text, isUnsure ? memory.read().who : typist, isUnsure);
    },
    /**
     * Over a reload. One that was refused had the one place: it goes back to where it was written.
     *
     * @returns whether what that was to take the place of stands as it was
     */
    keep(conversationId: string, turnId: string, question: TurnRequest): boolean {
      giveBack(turnId);
      const { pending: left, conversationId: place } = memory.read();
      const isFirst =
        place === undefined || (left?.conversationId === conversationId && left.isFirst === true);
      memory.change({ conversationId, pending: { conversationId, turnId, question, isFirst } });
      // One that does not stand here is another tab's, which shows it.
      if (!left?.code || left.turnId === turnId || !screen.find(left.turnId)) return false;
      toDrafts([left]);
      return left.question.replaces !== undefined;
    },
    /** There is no session: what waits for one is told so, or told that it goes on waiting. */
    refuseHeld(error: WidgetError): void {
      const one = findWaiting();
      if (!one) return;
      // Out of reach, and looked for.
      if (/^(offline|unreachable|shutting-down)$/.test(error.code)) {
        screen.lost.value = error.code;
        return;
      }
      one.error = error;
      const entry = screen.find(one.turnId);
      if (entry) entry.answer.value = toAnswer(one);
      screen.endAll();
    },
    holds: (turnId: string) => held.some((one) => one.turnId === turnId),
    /** Shows the conversation `id` next, below it what may not have arrived, and what is held. */
    clear(id: string | undefined, pending?: Held): void {
      screen.clear(id);
      dropRefused();
      // Nothing runs here yet: there is nothing to stop, and what is sent meanwhile is held.
      if (pending) screen.add(pending.turnId, pending.question, toAnswer(pending));
      held.forEach(show);
    },
    /** The conversation is left: what the helper is not known to have goes back to where it was written. */
    takeBack(): Entry | undefined {
      const entry = screen.entries.value.findLast(
        ({ turnId, known, isDropped, answer }) =>
          !known &&
          !isDropped &&
          answer.value?.status !== 'stopped' &&
          held.every((one) => one.turnId !== turnId),
      );
      if (entry) this.forget(entry.turnId);
      return entry;
    },
    /** It is known whose it is. */
    release(send: (turnId: string, question: TurnRequest) => void): void {
      const one = findWaiting();
      // What stood in the way of some is gone, and no click would send them.
      for (const each of held)
        if (each.error && isRetryable(each.error.code)) refused = [...refused, each];
        else if (each !== one) toDrafts([each]);
      held = [];
      // A click alone sends it: until then a reload gives it back.
      this.keepDraft('');
      if (!one) return;
      screen.remove(one.turnId);
      send(one.turnId, one.question);
    },
    /** Somebody else is there, who has sent, under the veil that lifts now or all of them, what stays in a chat that stays open. */
    hide(staysOpen: boolean, { isReset, isTheirs, ended }: Departure): void {
      const left = ended && this.takeBack()?.request;
      if (left) unsent.keepFor(left.text, ended);
      if (isReset) this.holdAgain();
      else unsent.empty();
      held = held.filter(
        ({ veil }) => isReset || (staysOpen && veil > 0 && (isTheirs || veil === readVeil())),
      );
      this.clear(undefined);
    },
    /** What was on its way is asked as soon as the same guest has a session again. */
    holdAgain(): void {
      const { request, turnId: id, answer } = this.takeBack() ?? {};
      // What is kept of another tab's stays with that tab.
      memory.change({ pending: undefined });
      if (!request || !id) return;
      if (answer?.value?.status !== 'sending' || findWaiting()) return onTakenBack(request.text);
      held = [...held, { turnId: id, question: request, veil: 0 }];
    },
    /** The helper never had it: there is nothing to stop but the trying. */
    giveUp(entry: Entry, code: WidgetCode | undefined): void {
      if (held.length > 0) unsent.empty();
      held = held.filter(({ turnId }) => turnId !== entry.turnId);
      this.forget(entry.turnId, code);
      screen.endAll();
      entry.answer.value = { ...createAnswer(entry.turnId, code ? 'failed' : 'stopped'), code };
    },
    /** The helper may have it, or get it yet. */
    drop(entry: Entry): void {
      entry.isDropped = true;
      this.forget(entry.turnId);
      entry.answer.value = createAnswer(entry.turnId, 'stopped');
      screen.running.value = undefined;
    },
    /**
     * The one place is shared by all tabs: another one's question stays in it.
     *
     * @param code this one stays, to be sent again by a click alone @param isThere the helper has it
     */
    forget(turnId: string, code?: WidgetCode, isThere?: boolean): void {
      const { pending } = memory.read();
      if (pending?.turnId !== turnId) return;
      // A reload looks for no conversation that nobody has.
      if (pending.isFirst && !code && !isThere) memory.change({ conversationId: undefined });
      memory.change({ pending: code && { ...pending, code } });
    },
  };
}

/** The conversation: what the visitor can do to it, and how it is taken up again after a reload. */
import type { ReadonlySignal } from '@preact/signals';
import type { TurnRequest } from '../../server-helper/protocol/wire.ts';
import { isRetryable, toReach, toWidgetError, WidgetError } from '../errors.ts';
import type { Situation } from '../states.ts';
import type { SessionKeeper } from '../transport/session.ts';
import type { Tabs } from '../transport/tabs.ts';
import type { DecidingDeps } from './deciding.ts';
import type { Entry } from './entries.ts';
import { followEntry } from './following.ts';
import type { Departure } from './happening.ts';
import { createLeaving } from './leaving.ts';
import type { Memory } from './memory.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createReading } from './reading.ts';
import { createRequests, type RequestDeps } from './request.ts';
import type { Retrying } from './retrying.ts';
import { createScreen, type Screen } from './screen.ts';
import { createStopping } from './stopping.ts';
import { type Answer, createAnswer } from './turn.ts';
import type { Unsent } from './unsent.ts';
import { makeUuid } from './uuid.ts';

export type ConversationDeps = RequestDeps & {
  sessions: SessionKeeper;
  memory: Memory;
  unsent: Unsent;
  tabs: Tabs;
  /** Calls back once before the next frame. */
  onNextFrame: (draw: () => void) => void;
  /** Undefined: it is held. @param wasHeld the visitor sent it earlier, and may have closed the chat since */
  onSent: (conversationId: string | undefined, turnId: string, wasHeld: boolean) => void;
  onEnded: (conversationId: string, turnId: string, answer: Answer | undefined) => void;
  /** Which veil hides what is on screen; 0 for none. */
  readVeil: () => number;
  /** What was not delivered is to be a draft again. */
  onTakenBack: (text: string) => void;
  /** Finds out who is there. */
  begin: () => void;
  makeId?: () => string;
};

type Shown = 'id' | 'entries' | 'running' | 'loading' | 'lost' | 'problem' | 'isBusy' | 'told';
export type Conversation = { readonly [K in Shown]: ReadonlySignal<Screen[K]['value']> } & {
  readonly chosen: Screen['chosen'];
  /** What a decision on a paused turn needs; it is loaded with the first. */
  deciding: DecidingDeps;
  send(text: string, replaces?: string): void;
  stop(): void;
  retry(turnId: string): Promise<void>;
  /** Shows one of the visitor's conversations, and follows what runs in it. */
  load(id: string): Promise<void>;
  loadOlder(): Promise<void>;
  /** Reads anew what another tab changed; what this one has not delivered stays. */
  refresh(): void;
  /** Takes up what was on screen before a reload or in another tab. */
  resume(): Promise<void>;
  startNew(): void;
  /** Sends what was held. */
  release(): void;
  keepDraft: Outbox['keepDraft'];
  /** There is no session: what is held is not on its way. */
  refuse(error: WidgetError): void;
  /** Shows nothing, and forgets nothing: somebody else is there, who has just sent what stays; or the same guest, anew. */
  hide(staysOpen: boolean, departure: Departure): void;
  /** Follows nothing any more. */
  close(): void;
};

export function createConversation(deps: ConversationDeps): Conversation {
  const { sessions, memory, tabs, makeId = makeUuid } = deps;
  const screen = createScreen();
  const { id, running, loading, lost, problem } = screen;
  const outbox = createOutbox(memory, screen, () => sessions.typist, deps);
  const say = (situation: Situation, again?: () => void) => (error: unknown) => {
    const cause = toWidgetError(error);
    if (cause.code !== 'aborted') problem.value = { situation, cause, again };
  };
  const leaving = createLeaving({ ...deps, onArrived: (left) => left === id.value && reloadOrSay(left) });
  /** Nothing that was written goes with the conversation that is left: what is on its way arrives there. */
  const leaveFor = (conversationId: string | undefined) => {
    const [from, isLost] = [id.value, lost.value];
    const left = outbox.takeBack();
    outbox.clear(conversationId);
    if (!left?.request) return;
    const { turnId, request: question, answer } = left;
    if (from === undefined || isLost || answer.value?.status !== 'sending')
      return deps.onTakenBack(question.text);
    leaving.leave({ conversationId: from, turnId, question });
  };
  const forget = () => {
    leaveFor(undefined);
    const { pending } = memory.read();
    memory.change({ conversationId: undefined, pending: undefined });
    // Of before a reload, and not taken up yet.
    if (pending) leaving.leave(pending);
  };
  const follow = async (conversationId: string, entry: Entry, question?: TurnRequest): Promise<void> => {
    const { signal } = screen;
    running.value = entry.turnId;
    const end = await followEntry(entry, {
      sessions,
      conversationId,
      question,
      signal,
      onNextFrame: deps.onNextFrame,
      onAccepted: () => {
        outbox.forget(entry.turnId, undefined, true);
        tabs.tell({ kind: 'turn', conversationId, turnId: entry.turnId });
        // The earlier word may have come before the question.
        if (!entry.isDropped) return;
        stopping.sendStop(conversationId, entry);
        if (id.value === conversationId) memory.change({ conversationId });
      },
      onLost: (code) => {
        if (!entry.isDropped) lost.value = code;
        else if (code) throw new WidgetError('aborted');
      },
    });
    if (signal.aborted || entry.followedBy) return;
    // What was held meanwhile has its turn now.
    queueMicrotask(release);
    if (entry.isDropped) return;
    lost.value = undefined;
    if (running.value === entry.turnId) running.value = undefined;
    if (problem.value?.situation === 'stop-failed') problem.value = undefined;
    if (end === 'gone') await reloadOrSay(conversationId);
    deps.onEnded(conversationId, entry.turnId, screen.find(entry.turnId)?.answer.value);
    if (typeof end === 'string') return;
    const { code } = end;
    const isFinal = !isRetryable(code);
    // A question that may be sent again later is not lost by a reload.
    if (entry.known || isFinal) outbox.forget(entry.turnId);
    else if (!/^(off|sso)/.test(code)) outbox.forget(entry.turnId, code);
    if (code === 'not-found' && entry.known) return load(conversationId); // Another device took it back.
    if (code === 'not-found') {
      forget();
      say('resume-failed')(end);
    } else if (question && !entry.known && isFinal) {
      // As it is it is refused again: it is a draft.
      deps.onTakenBack(question.text);
    }
    // Another tab or device was quicker: what is there is shown.
    if (/^turn-/.test(code)) await reloadOrSay(conversationId);
  };
  const { reload, reloadOrSay, loadOlder } = createReading({ sessions, screen, follow, say });
  const stopping = createStopping({ ...deps, screen, outbox, follow, say: (f) => say('stop-failed', f) });
  const ask = (conversationId: string, turnId: string, question: TurnRequest) => {
    if (outbox.keep(conversationId, turnId, question)) void reloadOrSay(conversationId);
    if (question.replaces !== undefined) screen.cutFrom(question.replaces);
    const entry = screen.find(turnId) ?? screen.add(turnId, question, createAnswer(turnId, 'sending'));
    void follow(conversationId, entry, question);
  };
  const { toRequest, toCurrent } = createRequests(deps, screen.chosen);
  const take = (turnId: string, question: TurnRequest, wasHeld = false) => {
    // What was said since it was sent is news.
    if (!wasHeld) problem.value = undefined;
    if (!deps.isReady()) {
      outbox.hold(turnId, question);
      deps.onSent(undefined, turnId, false);
      return deps.begin();
    }
    const conversationId = id.value ?? makeId();
    id.value = conversationId;
    ask(conversationId, turnId, question);
    deps.onSent(conversationId, turnId, wasHeld);
  };
  /** One question is on its way at a time: there is one place in which a reload finds it. */
  const release = () => {
    if (deps.isReady() && (running.value === undefined || outbox.holds(running.value)))
      outbox.release((turnId, question) => take(turnId, toCurrent(question), true));
  };
  const load = async (conversationId: string): Promise<void> => {
    leaveFor(conversationId);
    const { signal } = screen;
    loading.value = true;
    try {
      await reload(conversationId);
      memory.change({ conversationId });
    } catch (error) {
      if (signal.aborted) return;
      const isGone = toWidgetError(error).code === 'not-found';
      if (isGone) forget();
      say('resume-failed', isGone ? undefined : () => load(conversationId))(error);
    } finally {
      if (!signal.aborted) loading.value = false;
    }
  };
  const retrying: Retrying = { end: undefined };
  const retry = async (turnId: string): Promise<void> => {
    const entry = screen.find(turnId);
    if (!entry?.question) return;
    if (!entry.known && entry.request) {
      screen.remove(turnId); // It may have arrived: under its own id it is asked once, however often it is sent.
      return take(turnId, toCurrent(entry.request, entry.answer.value?.code === 'challenge-failed'));
    }
    try {
      const { retry: again } = await import('../rare.ts');
      await again(turnId, retrying, { screen, sessions, reload, take, toRequest, makeId });
    } catch {
      // It stands where it stood, and says what stopped it now.
      entry.answer.value = { ...(entry.answer.value as Answer), code: toReach('offline') };
    }
  };
  return {
    ...screen,
    send: (text, replaces) => take(makeId(), toRequest(text, replaces)),
    load,
    stop: () => (retrying.end ?? stopping.stop)(),
    retry,
    deciding: { sessions, memory, tabs, screen, follow, load, say: say('decision-failed') },
    loadOlder,
    async resume() {
      leaving.arrive();
      const { conversationId, pending } = memory.read();
      if (conversationId === undefined) return outbox.clear(undefined);
      if (pending?.conversationId !== conversationId) return load(conversationId);
      const { turnId, question, code } = pending;
      outbox.clear(conversationId, { turnId, question, veil: 0, error: code && new WidgetError(code) });
      await reload(conversationId).catch((cause) => {
        // The first question of a conversation that nobody else knows yet.
        if (toWidgetError(cause).code !== 'not-found')
          say('resume-failed', () => reloadOrSay(conversationId))(cause);
      });
      if (id.value !== conversationId) return;
      const entry = screen.find(turnId);
      // The page went away before the helper was seen to take the question: sending it again is harmless.
      if (entry?.known) outbox.forget(turnId, undefined, true);
      else if (!code) ask(conversationId, turnId, question);
    },
    refresh() {
      if (id.value !== undefined && running.value === undefined) void reloadOrSay(id.value);
    },
    release,
    refuse: outbox.refuseHeld,
    keepDraft: outbox.keepDraft,
    hide(staysOpen, departure) {
      leaving.end();
      outbox.hide(staysOpen, departure);
    },
    close: screen.endAll,
    startNew: forget,
  };
}

/** The conversation on screen: its entries, each with its own signal, and what the visitor can do to it. */
import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ConversationReply, Message, TurnRequest } from '../../server-helper/protocol/wire.ts';
import { isRetryable, type WidgetCode, WidgetError } from '../errors.ts';
import type { SessionKeeper } from '../transport/session.ts';
import type { Tabs } from '../transport/tabs.ts';
import { followTurn, toTurnPath } from '../transport/turn-stream.ts';
import type { Memory } from './memory.ts';
import { type Answer, createAnswer, isRunning, reduceAnswer, toAnswer } from './turn.ts';

/** One turn on screen: what was asked, and the answer, which alone changes while it is written. */
export type Entry = {
  turnId: string;
  question: string | undefined;
  /** RFC 3339; undefined for a question of this moment. */
  at: string | undefined;
  answer: Signal<Answer | undefined>;
};

export type ConversationDeps = {
  sessions: SessionKeeper;
  memory: Memory;
  tabs: Tabs;
  readPage: () => TurnRequest['page'];
  /** Calls back once before the next frame. */
  onNextFrame: (draw: () => void) => void;
  onSent: (conversationId: string) => void;
  makeId?: () => string;
};

export type Conversation = {
  readonly id: ReadonlySignal<string | undefined>;
  readonly entries: ReadonlySignal<readonly Entry[]>;
  /** The turn that runs, if one does. */
  readonly running: ReadonlySignal<string | undefined>;
  readonly loading: ReadonlySignal<boolean>;
  /** The connection is lost and being looked for. */
  readonly lost: ReadonlySignal<boolean>;
  /** Why the conversation cannot be shown or the question not be taken. */
  readonly problem: ReadonlySignal<WidgetCode | undefined>;
  readonly hasOlder: ReadonlySignal<boolean>;
  send(text: string, replaces?: string): void;
  stop(): void;
  retry(turnId: string): void;
  decide(turnId: string, decision: 'approve' | 'deny' | 'answer', answers?: string[]): Promise<void>;
  /** Shows a conversation of the helper's, and follows what runs in it. */
  load(id: string): Promise<void>;
  loadOlder(): Promise<void>;
  /** Takes up what was on screen before a reload or in another tab. */
  resume(): Promise<void>;
  startNew(): void;
  /** Shows nothing, and forgets nothing: who is there is about to be asked. */
  hide(): void;
  /** Follows nothing any more. */
  close(): void;
};

export function createConversation(deps: ConversationDeps): Conversation {
  const { sessions, memory, tabs } = deps;
  const makeId = deps.makeId ?? (() => crypto.randomUUID());
  const id = signal<string | undefined>(undefined);
  const entries = signal<readonly Entry[]>([]);
  const running = signal<string | undefined>(undefined);
  const loading = signal(false);
  const lost = signal(false);
  const problem = signal<WidgetCode | undefined>(undefined);
  const older = signal<string | undefined>(undefined);
  const hasOlder = signal(false);
  /** Turns that the helper has. */
  const accepted = new Set<string>();
  /** Everything that belongs to the conversation on screen; ended when another takes its place. */
  let scope = new AbortController();

  const reset = (nextId: string | undefined) => {
    scope.abort();
    scope = new AbortController();
    batch(() => {
      id.value = nextId;
      entries.value = [];
      running.value = undefined;
      lost.value = false;
      problem.value = undefined;
      older.value = undefined;
      hasOlder.value = false;
    });
  };
  const readJson = async <T>(path: string) => {
    const response = await sessions.call({ method: 'GET', path, signal: scope.signal });
    return (await response.json()) as T;
  };
  const findEntry = (turnId: string) => entries.value.find((entry) => entry.turnId === turnId);
  const addEntry = (turnId: string, question: string | undefined, answer: Answer): Entry => {
    const entry: Entry = { turnId, question, at: undefined, answer: signal<Answer | undefined>(answer) };
    entries.value = [...entries.value, entry];
    return entry;
  };

  /** Follows a turn into its entry: events change a plain value, and each frame shows the latest. */
  const follow = async (conversationId: string, entry: Entry, question?: TurnRequest): Promise<void> => {
    const { signal: ended } = scope;
    let answer = entry.answer.value ?? createAnswer(entry.turnId, 'writing');
    let drawing = false;
    const draw = () => {
      drawing = false;
      if (!ended.aborted) entry.answer.value = answer;
    };
    running.value = entry.turnId;
    try {
      const end = await followTurn(
        sessions,
        { conversationId, turnId: entry.turnId },
        {
          question,
          signal: ended,
          onEvent: (event) => {
            answer = reduceAnswer(answer, event);
          },
          onRead: () => {
            if (drawing) return;
            drawing = true;
            deps.onNextFrame(draw);
          },
          onAccepted: () => {
            accepted.add(entry.turnId);
            memory.change({ pending: undefined });
            tabs.tell({ kind: 'turn', conversationId, turnId: entry.turnId });
          },
          onLost: (isLost) => {
            lost.value = isLost;
          },
        },
      );
      if (end === 'gone' && !ended.aborted) await reload(conversationId);
    } catch (error) {
      if (ended.aborted) return;
      const { code, retryAfterMs } = error instanceof WidgetError ? error : new WidgetError('internal');
      // A question that waits for its turn is not lost by a reload.
      if (code !== 'rate-limited') memory.change({ pending: undefined });
      if (code === 'not-found' && !question) return forget();
      if (code === 'turn-running') return void (await followOther(conversationId, entry));
      answer = { ...answer, status: 'failed', code, retryAfterMs };
    } finally {
      if (!ended.aborted) {
        draw();
        lost.value = false;
        if (running.value === entry.turnId && !(entry.answer.value && isRunning(entry.answer.value)))
          running.value = undefined;
      }
    }
  };
  /** Another tab was quicker: its turn is shown, and this question stays, to be sent again. */
  const followOther = async (conversationId: string, mine: Entry) => {
    running.value = undefined;
    await reload(conversationId);
    mine.answer.value = { ...createAnswer(mine.turnId, 'failed'), code: 'turn-running' };
    if (!findEntry(mine.turnId)) entries.value = [...entries.value, mine];
  };
  const forget = () => {
    memory.change({ conversationId: undefined, pending: undefined });
    reset(undefined);
  };

  const toEntries = (messages: readonly Message[]): Entry[] => {
    const found = new Map<string, Entry>();
    for (const message of messages) {
      const entry = found.get(message.turnId) ?? {
        turnId: message.turnId,
        question: undefined,
        at: message.at,
        answer: signal<Answer | undefined>(undefined),
      };
      if (message.role === 'visitor') entry.question = message.text;
      else entry.answer.value = toAnswer(message);
      found.set(message.turnId, entry);
    }
    return [...found.values()];
  };
  const show = (reply: ConversationReply) => {
    batch(() => {
      entries.value = toEntries(reply.messages);
      older.value = reply.next;
      hasOlder.value = reply.next !== undefined;
      problem.value = undefined;
    });
    const live = reply.liveTurn?.turnId;
    if (live === undefined) return;
    const entry = findEntry(live) ?? addEntry(live, undefined, createAnswer(live, 'writing'));
    entry.answer.value ??= createAnswer(live, 'writing');
    void follow(reply.id, entry);
  };
  const reload = async (conversationId: string) => {
    const reply = await readJson<ConversationReply>(`/conversations/${conversationId}`);
    if (id.value === conversationId) show(reply);
  };
  const load = async (conversationId: string) => {
    reset(conversationId);
    const { signal: ended } = scope;
    loading.value = true;
    try {
      await reload(conversationId);
      memory.change({ conversationId });
    } catch (error) {
      if (ended.aborted) return;
      const code = error instanceof WidgetError ? error.code : 'internal';
      if (code === 'not-found') forget();
      else problem.value = code;
    } finally {
      if (!ended.aborted) loading.value = false;
    }
  };
  const ask = (conversationId: string, turnId: string, question: TurnRequest) => {
    memory.change({ conversationId, pending: { conversationId, turnId, question } });
    const entry = addEntry(turnId, question.text, createAnswer(turnId, 'sending'));
    void follow(conversationId, entry, question);
  };

  const send: Conversation['send'] = (text, replaces) => {
    const known = id.value;
    const conversationId = known ?? makeId();
    if (known === undefined) id.value = conversationId;
    problem.value = undefined;
    const question: TurnRequest = { text };
    const page = deps.readPage();
    if (page) question.page = page;
    if (replaces !== undefined) {
      question.replaces = replaces;
      const index = entries.value.findIndex(({ turnId }) => turnId === replaces);
      if (index >= 0) entries.value = entries.value.slice(0, index);
    }
    ask(conversationId, makeId(), question);
    deps.onSent(conversationId);
  };

  return {
    id,
    entries,
    running,
    loading,
    lost,
    problem,
    hasOlder,
    send,
    stop() {
      const turnId =
        running.value ?? entries.value.findLast(({ answer }) => answer.value?.status === 'paused')?.turnId;
      const conversationId = id.value;
      if (turnId === undefined || conversationId === undefined) return;
      const entry = findEntry(turnId);
      if (memory.read().pending?.turnId === turnId && lost.value) {
        // The helper never had it: there is nothing to stop but the trying.
        memory.change({ pending: undefined });
        const text = entry?.question;
        scope.abort();
        scope = new AbortController();
        batch(() => {
          running.value = undefined;
          lost.value = false;
          if (entry && text !== undefined)
            entry.answer.value = { ...createAnswer(turnId, 'failed'), code: 'offline' };
        });
        return;
      }
      const wasPaused = entry?.answer.value?.status === 'paused';
      sessions
        .call({ method: 'DELETE', path: toTurnPath({ conversationId, turnId }), signal: scope.signal })
        .then(() => {
          if (wasPaused && entry?.answer.value)
            entry.answer.value = { ...entry.answer.value, status: 'stopped', pause: undefined };
        })
        .catch((error: unknown) => {
          if (error instanceof WidgetError && error.code !== 'aborted') problem.value = error.code;
        });
    },
    retry(turnId) {
      const entry = findEntry(turnId);
      if (!entry?.question) return;
      // What never reached the helper replaces nothing there.
      const isKnown = entry.at !== undefined || accepted.has(turnId);
      if (!isKnown) entries.value = entries.value.filter((other) => other !== entry);
      send(entry.question, isKnown ? turnId : undefined);
    },
    async decide(turnId, decision, answers) {
      const entry = findEntry(turnId);
      const conversationId = id.value;
      if (!entry?.answer.value?.pause || conversationId === undefined) return;
      const before = entry.answer.value;
      const path = `${toTurnPath({ conversationId, turnId })}/decision`;
      const body = answers ? { decision, answers } : { decision };
      try {
        await sessions.call({ method: 'POST', path, body, signal: scope.signal });
        entry.answer.value = { ...before, status: 'writing', pause: undefined };
        tabs.tell({ kind: 'turn', conversationId, turnId });
        await follow(conversationId, entry);
      } catch (error) {
        const code = error instanceof WidgetError ? error.code : 'internal';
        if (code === 'turn-conflict') return reload(conversationId);
        entry.answer.value = before;
        if (isRetryable(code)) problem.value = code;
      }
    },
    load,
    async loadOlder() {
      const cursor = older.value;
      const conversationId = id.value;
      if (cursor === undefined || conversationId === undefined || loading.value) return;
      loading.value = true;
      try {
        const path = `/conversations/${conversationId}?cursor=${encodeURIComponent(cursor)}`;
        const reply = await readJson<ConversationReply>(path);
        const shown = new Set(entries.value.map(({ turnId }) => turnId));
        batch(() => {
          entries.value = [
            ...toEntries(reply.messages).filter(({ turnId }) => !shown.has(turnId)),
            ...entries.value,
          ];
          older.value = reply.next;
          hasOlder.value = reply.next !== undefined;
        });
      } catch (error) {
        if (error instanceof WidgetError && error.code !== 'aborted') problem.value = error.code;
      } finally {
        loading.value = false;
      }
    },
    async resume() {
      const { conversationId, pending } = memory.read();
      if (conversationId === undefined) return;
      if (pending?.conversationId === conversationId) {
        // The page went away before the helper was seen to take the question: sending it again is harmless.
        reset(conversationId);
        await reload(conversationId).catch(() => {});
        if (findEntry(pending.turnId)) memory.change({ pending: undefined });
        else ask(conversationId, pending.turnId, pending.question);
        return;
      }
      await load(conversationId);
    },
    hide: () => reset(undefined),
    close: () => scope.abort(),
    startNew() {
      memory.change({ conversationId: undefined, pending: undefined });
      reset(undefined);
    },
  };
}

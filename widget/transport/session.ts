/** Carries out what the identity machine says: asks the page and the helper, and makes calls as whoever is there. */
import type { SessionReply } from '../../server-helper/protocol/wire.ts';
import { toReach, toWidgetError, WidgetError } from '../errors.ts';
import type { UserToken } from '../public.ts';
import { toTypist } from '../state/facts.ts';
import {
  createIdentity,
  type GuestReason,
  type Happening,
  type Todo,
  unknown,
  type Who,
} from '../state/happening.ts';
import { step } from '../state/identity.ts';
import type { Memory } from '../state/memory.ts';
import { readClaims, toHash, toSaidAt, toSubject } from '../state/subject.ts';
import { tellOwner } from '../states.ts';
import { toBackoffMs, wait } from './backoff.ts';
import { exchange } from './exchange.ts';
import { type Call, callHelper } from './http.ts';
import type { Tabs } from './tabs.ts';
import { askPage, toSource } from './token.ts';

export type SessionState = SessionReply & {
  /** Of the session, hashed; changes when the identity does. */
  subject: string;
  guestReason: GuestReason;
};

export type SessionKeeper = {
  /**
   * A call as whoever is there, once that is known; never as anybody else than when it was begun, though a guest who signs
   * in meanwhile is the same one. @param of of this subject alone
   */
  call(call: Call, of?: string): Promise<Response>;
  /** What the page says about who is there. @param at ms since 1970 @param isTag by the tag on each of its pages */
  say(userToken: UserToken | undefined, at: number, isTag?: boolean): void;
  happen(happening: Happening): void;
  /** The panel opened. */
  open(): void;
  /** It is known whose things are on screen. */
  readonly isSettled: boolean;
  /** Whose is what is typed now; `unknown` where only the page can tell. */
  readonly typist: Who;
  /** The visitor has acted, and somebody is there or about to be. */
  readonly isBegun: boolean;
  close(): void;
};

/** What the machine's decisions are for the rest of the widget. */
export type SessionHooks = {
  isOpen(): boolean;
  isShown(): boolean;
  /** Nothing of the earlier visitor is shown any more. */
  drop(todo: Todo & { do: 'drop' }): void;
  /** @param who is there, as pages say */
  publish(session: SessionState, who: Who): void;
  /** @param isPages the page's own function failed, and the helper was not asked */
  refuse(error: WidgetError, isPages: boolean): void;
  /** Takes up what this visitor left. */
  resume(): void;
  /** After each step: which veil hides all that is on screen, by its number; 0 for none. */
  veil(veil: number): void;
};

export type SessionDeps = {
  helper: string;
  memory: Memory;
  tabs: Tabs;
  hooks: SessionHooks;
  /** When the page was read, in ms since 1970. */
  readAt: number;
  now?: () => number;
};

/** How long a page that has said nothing is waited for, once it has loaded. */
const silenceMs = 3_000;

export function createSessionKeeper(deps: SessionDeps): SessionKeeper {
  const { helper, memory, tabs, hooks, now = Date.now } = deps;
  let identity = createIdentity({ kind: 'unsaid' }, deps.readAt, now() - performance.now());
  let saysByTag = false;
  let askToken: Exclude<UserToken, string> | undefined;
  let current: SessionState | undefined;
  /** The latest reply of the helper, until the machine has said what it means. */
  let reply: SessionState | undefined;
  /** The helper's latest refusal, with how long to wait. */
  let refusal: WidgetError | undefined;
  /** Counts up whenever somebody else may be there: what was begun before then is sent as nobody. */
  let era = 0;
  const closing = new AbortController();
  const waiters = new Set<(error?: WidgetError) => void>();
  const settleWaiters = (error?: WidgetError) => {
    for (const waiter of [...waiters]) waiter(error);
  };

  const happen = (happening: Happening) => {
    if (closing.signal.aborted) return;
    const isOpen = hooks.isOpen();
    if (happening.what === 'told' && !happening.ask) memory.hear(happening.who, happening.at);
    const kept = memory.readKept();
    const around = { now: now(), clock: now() - performance.now(), isOpen, isShown: hooks.isShown(), kept };
    const [next, todos] = step(identity, happening, around);
    identity = next;
    for (const todo of todos) carryOut(todo);
    hooks.veil(identity.veiled ? identity.veils : 0);
    if (identity.phase === 'settled' && !identity.veiled) settleWaiters();
  };
  const carryOut = (todo: Todo): void => {
    switch (todo.do) {
      case 'ask':
        return void ask(todo.ticket);
      case 'wait':
        return waitForPage(todo.ticket);
      case 'open':
        return void open(todo.ticket, todo.token, todo.reason);
      case 'retry':
        return void wait(toBackoffMs(todo.failures - 1), closing.signal).then(
          () => happen({ what: 'again', ticket: todo.ticket }),
          () => {},
        );
      case 'drop':
        era += 1;
        current = undefined;
        settleWaiters(new WidgetError('aborted'));
        return hooks.drop(todo);
      case 'claim':
        return memory.claim(todo.who, todo.at, saysByTag);
      case 'tell':
        return tabs.tell({ kind: 'identity', who: todo.who, ask: todo.ask, at: todo.at });
      case 'settle': {
        current = reply as SessionState;
        const who = identity.shown?.who;
        const guest = current.visitor.kind === 'anonymous' ? current.session : undefined;
        memory.setIdentity(current.subject, guest, who, todo.at, saysByTag);
        return hooks.publish(current, who);
      }
      case 'resume':
        return hooks.resume();
      case 'refuse': {
        const code = toReach(todo.code);
        // The helper was not asked, so that no call has told it.
        if (identity.phase === 'superseded') tellOwner(code, helper);
        const retryAfterMs = refusal?.code === code ? refusal.retryAfterMs : undefined;
        settleWaiters(new WidgetError(todo.code, retryAfterMs));
        const error = new WidgetError(code, retryAfterMs);
        return hooks.refuse(error, identity.isUnanswered && identity.source.kind === 'callback');
      }
    }
  };

  const ask = async (ticket: number) => {
    try {
      const token = await askPage(askToken as Exclude<UserToken, string>);
      happen({ what: 'answered', ticket, token, subject: token && toSubject(token) });
    } catch (error) {
      console.error('Porchlight: identify() got a function that failed:', error);
      happen({ what: 'failed', ticket });
    }
  };
  const waitForPage = (ticket: number) => {
    const look = () => {
      if (document.readyState === 'complete') happen({ what: 'silent', ticket });
      else waitForPage(ticket);
    };
    wait(silenceMs, closing.signal).then(look, () => {});
  };
  const open = async (ticket: number, token: string | undefined, guestReason: GuestReason) => {
    try {
      const opened = await exchange(helper, token, memory.read().session);
      const subject = toHash(String(readClaims(opened.session).sub));
      if (ticket === identity.ticket) reply = { ...opened, subject, guestReason };
      happen({ what: 'opened', ticket, subject, isGuest: opened.visitor.kind === 'anonymous' });
    } catch (error) {
      refusal = error instanceof WidgetError ? error : new WidgetError('bad-stream');
      const { code, status } = refusal;
      happen({ what: 'refused', ticket, code, mayPass: status === undefined || code === 'shutting-down' });
    }
  };

  /** Resolves with the session of whoever is there. @throws WidgetError when that cannot be known now */
  const settled = (signal?: AbortSignal): Promise<SessionState> => {
    if (identity.phase === 'settled' && current) return Promise.resolve(current);
    return new Promise((resolve, reject) => {
      const waiter = (error?: WidgetError) => {
        waiters.delete(waiter);
        if (error) reject(error);
        else resolve(current as SessionState);
      };
      const onAbort = () => waiter(new WidgetError('aborted'));
      waiters.add(waiter);
      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted) onAbort();
      else happen({ what: 'begin' });
    });
  };

  return {
    happen,
    get isSettled() {
      return identity.phase === 'settled' && !identity.veiled;
    },
    get typist() {
      const isUntold = identity.source.kind === 'unsaid' && memory.readKept()?.who !== undefined;
      return isUntold ? unknown : toTypist(identity);
    },
    get isBegun() {
      return identity.phase !== 'rest';
    },
    open: () => happen({ what: identity.shown ? 'seen' : 'begin' }),
    say(userToken, heardAt, isTag = false) {
      saysByTag = isTag;
      if (typeof userToken === 'function') askToken = userToken;
      const at = toSaidAt(userToken, heardAt, isTag, memory.readKept()?.saidAt);
      happen({ what: 'said', source: toSource(userToken), at });
    },
    async call(call, of) {
      let { session } = await settled(call.signal);
      const mine = era;
      const send = async () => {
        if (of && of !== current?.subject) throw new WidgetError('aborted');
        const response = await callHelper(helper, { ...call, session });
        // What somebody else began ends with them.
        if (mine !== era) throw new WidgetError('aborted');
        return response;
      };
      try {
        return await send();
      } catch (error) {
        const { code, status } = toWidgetError(error);
        // The site allows something else by now: a new session tells what.
        if (code === 'not-allowed') happen({ what: 'expired' });
        if (status !== 401) throw error;
        // Only the first of several calls that met the end of the hour opens a new session.
        if (current?.session === session) happen({ what: 'expired' });
        ({ session } = await settled(call.signal));
        if (mine !== era) throw new WidgetError('aborted');
        return send();
      }
    },
    close() {
      closing.abort();
      settleWaiters(new WidgetError('aborted'));
    },
  };
}

/** Who the helper takes this visitor for: one session, renewed once and in silence when its hour is over. */
import type { SessionReply } from '../../server-helper/protocol/wire.ts';
import { WidgetError } from '../errors.ts';
import type { UserToken } from '../public.ts';
import type { Memory } from '../state/memory.ts';
import { type Call, callHelper } from './http.ts';

export type SessionState = SessionReply & {
  /** Subject of the session; changes when the identity does. */
  subject: string;
  /** The page gave a token that was not taken, and the visitor goes on as a guest. */
  tokenRefused: boolean;
};

export type SessionKeeper = {
  /** The current session, opened when there is none. */
  open(signal?: AbortSignal): Promise<SessionState>;
  /** A call with the session; a session that is over is renewed and the call made once more. */
  call(call: Call): Promise<Response>;
  /** Forgets the session; the next call opens one for `userToken`. */
  identify(userToken: UserToken | undefined): void;
  /** Forgets the session; the next call opens one anew. */
  restart(): void;
};

/** @param onOtherVisitor a session that was renewed turned out to be somebody else's: nothing was sent as them */
export function createSessionKeeper(
  helper: string,
  memory: Memory,
  userToken: UserToken | undefined,
  onOtherVisitor: () => void,
): SessionKeeper {
  let token = userToken;
  let opening: Promise<SessionState> | undefined;
  /** Counts up whenever somebody else may be there: what was begun before then must change nothing. */
  let era = 0;

  const ask = async (body: object, signal?: AbortSignal) => {
    const response = await callHelper(helper, { method: 'POST', path: '/session', body, signal });
    return (await response.json()) as SessionReply;
  };
  const readToken = async () => (typeof token === 'function' ? await token() : token);

  /** A guest's session is offered along with the token, so that what the guest said is not lost. */
  const askAs = async (ssoToken: string, signal?: AbortSignal) => {
    const guest = memory.read().session;
    return ask(guest === undefined ? { ssoToken } : { ssoToken, session: guest }, signal);
  };
  const askAsGuest = async (signal?: AbortSignal) => {
    const guest = memory.read().session;
    if (guest === undefined) return ask({}, signal);
    try {
      return await ask({ session: guest }, signal);
    } catch (error) {
      if (!(error instanceof WidgetError) || error.status !== 401 || error.code === 'sign-in-required')
        throw error;
      return ask({}, signal);
    }
  };
  /** A refused token is asked for once more; then the visitor is a guest, where guests are welcome. */
  const start = async (signal?: AbortSignal): Promise<{ reply: SessionReply; tokenRefused: boolean }> => {
    for (let tries = 0; tries < 2; tries += 1) {
      const ssoToken = await readToken();
      if (ssoToken === undefined) break;
      try {
        return { reply: await askAs(ssoToken, signal), tokenRefused: false };
      } catch (error) {
        const refused = error instanceof WidgetError && error.code.startsWith('sso-token-');
        if (!refused) throw error;
        if (tries === 1 || typeof token !== 'function')
          return { reply: await askAsGuest(signal), tokenRefused: true };
      }
    }
    return { reply: await askAsGuest(signal), tokenRefused: false };
  };

  const open = async (signal?: AbortSignal): Promise<SessionState> => {
    const mine = era;
    const { reply, tokenRefused } = await start(signal);
    if (mine !== era) throw new WidgetError('aborted');
    const subject = readSubject(reply.session);
    memory.setIdentity(subject, reply.visitor.kind === 'anonymous' ? reply.session : undefined);
    return { ...reply, subject, tokenRefused };
  };
  const openOnce = (signal?: AbortSignal) => {
    if (opening) return opening;
    const mine = open(signal).catch((error: unknown) => {
      if (opening === mine) opening = undefined;
      throw error;
    });
    opening = mine;
    return mine;
  };
  const startAnew = () => {
    era += 1;
    opening = undefined;
  };

  return {
    open: openOnce,
    async call(call) {
      const { session, subject } = await openOnce();
      try {
        return await callHelper(helper, { ...call, session });
      } catch (error) {
        if (!(error instanceof WidgetError) || error.status !== 401) throw error;
        const before = opening;
        // Only the first of several calls that met the end of the hour opens a new session.
        if ((await before)?.session === session) opening = undefined;
        const renewed = await openOnce();
        if (renewed.subject !== subject) {
          onOtherVisitor();
          throw new WidgetError('aborted');
        }
        return callHelper(helper, { ...call, session: renewed.session });
      }
    },
    identify(next) {
      token = next;
      startAnew();
    },
    restart: startAnew,
  };
}

/** The session is a JWT; its subject tells one visitor from another. Only the helper can trust it. */
function readSubject(session: string): string {
  try {
    const payload = session.split('.')[1] ?? '';
    const json = atob(payload.replace(/-/g, '+').replace(/_/g, '/'));
    return String((JSON.parse(json) as { sub?: unknown }).sub ?? '');
  } catch {
    return '';
  }
}

/** `POST /session`: what the page says of its visitor, for a session at the helper. */
import type { SessionReply } from '../../server-helper/protocol/wire.ts';
import { WidgetError } from '../errors.ts';
import { callHelper } from './http.ts';

/**
 * @param ssoToken none for a guest
 * @param session of the guest who was here, offered along with a token, so that what the guest said is not lost
 */
export async function exchange(
  helper: string,
  ssoToken: string | undefined,
  session: string | undefined,
): Promise<SessionReply> {
  const post = async (body: object) => {
    const response = await callHelper(helper, { method: 'POST', path: '/session', body });
    return (await response.json()) as SessionReply;
  };
  if (ssoToken !== undefined) return post({ ssoToken, session });
  return post({ session }).catch((error: unknown) => {
    const isOver = error instanceof WidgetError && error.status === 401;
    if (session === undefined || !isOver || error.code === 'sign-in-required') throw error;
    return post({});
  });
}

/** `POST /session`: an SSO token, an earlier session or nothing → a session, and what the widget needs to begin. */
import { hashText } from '../auth/keys.ts';
import { noteMembership, toStanding } from '../auth/membership.ts';
import type { Session } from '../auth/session.ts';
import { verifySsoToken } from '../auth/sso.ts';
import { HelperError } from '../errors.ts';
import { toLogFields } from '../log.ts';
import { readSessionRequest } from '../protocol/check.ts';
import { type Allowed, chatModes, type SessionReply, type Visitor } from '../protocol/wire.ts';
import { toOwnerKeys } from '../store/store.ts';
import { type Exchange, type Parts, readJson, toJsonResponse } from './exchange.ts';

/** Learnt anew at each sign-in. */
const memberTtlMs = 30 * 24 * 3600_000;

export async function createSession(parts: Parts, exchange: Exchange): Promise<Response> {
  const { config, limiter, bot } = parts;
  if (config.limited) await limiter.take('session', undefined, exchange.address);
  const { ssoToken, session: earlier } = await readJson(exchange.request, readSessionRequest);
  const sessions = await parts.sessions();
  const knowsIdentity = config.identity !== 'off' && config.ssoSecrets.length > 0;

  let session: Omit<Session, 'expiresAtSeconds'>;
  let expiresAtSeconds: number | undefined;
  if (ssoToken !== undefined && knowsIdentity) {
    session = await exchangeSsoToken(parts, ssoToken);
    if (earlier !== undefined) await inherit(parts, earlier, session.owner);
  } else if (earlier !== undefined) {
    const known = await sessions.verifyForRenewal(earlier);
    if (known.visitor.kind === 'anonymous' && config.identity === 'required')
      throw new HelperError('sign-in-required');
    if (known.visitor.kind === 'identified' && config.identity === 'off')
      throw new HelperError('session-expired');
    await requireAsker(parts, known);
    const { visitor } = await toStanding(parts, known);
    // Only a fresh SSO token makes an identified session last longer.
    if (known.visitor.kind === 'identified') expiresAtSeconds = known.expiresAtSeconds;
    session = { ...known, visitor };
  } else {
    if (config.identity === 'required') throw new HelperError('sign-in-required');
    session = { owner: `anonymous:${crypto.randomUUID()}`, visitor: { kind: 'anonymous', member: false } };
  }

  const token = await sessions.sign(session, expiresAtSeconds);
  const { expiresAtSeconds: endsAtSeconds } = await sessions.verify(token);
  const reply: SessionReply = {
    session: token,
    expiresInSeconds: Math.max(0, endsAtSeconds - Math.floor(parts.now() / 1000)),
    visitor: session.visitor,
    agent: await bot.readProfile(),
    allowed: toAllowed(parts, session.visitor),
  };
  if (ssoToken !== undefined && !knowsIdentity) {
    reply.reason = 'identity-off';
    tellOfNoSecret(parts);
  }
  return toJsonResponse(reply, exchange.headers);
}

async function exchangeSsoToken(parts: Parts, token: string): Promise<Omit<Session, 'expiresAtSeconds'>> {
  const { config, bot, store, limiter, now } = parts;
  const rules = { secrets: config.ssoSecrets, audience: config.botId, issuer: config.ssoIssuer };
  const identity = await verifySsoToken(token, rules, now() / 1000).catch((error: unknown) => {
    tellOfRefusal(parts, error);
    throw error;
  });
  if (config.limited) await limiter.take('signIn', identity.owner, undefined);
  const introduced = await bot.introduce(token);
  const key = toOwnerKeys(identity.owner, config.botId).member;
  const { memberId } = introduced ?? {};
  const noting =
    memberId !== undefined ? store.replace(key, memberId, memberTtlMs) : introduced && store.forget(key);
  // Without it the agent is not told who asks; signed in one is all the same.
  await noting?.catch((error: unknown) => config.log.warn(toLogFields(error), 'a member’s id was not kept'));
  if (introduced) await noteMembership(parts, identity.owner, introduced.member);
  const visitor: Visitor = { kind: 'identified', member: introduced?.member ?? false };
  if (identity.name !== undefined) visitor.name = identity.name;
  return { owner: identity.owner, visitor };
}

/** Where a secret was forgotten every customer is a guest, and chats as well as one. */
function tellOfNoSecret({ config, isDue }: Parts): void {
  if (config.identity !== 'off' && isDue('no-secret'))
    config.log.warn({}, 'an SSO token came, and without a secret everybody is a guest');
}

/** Every customer is refused where the site signs with another secret: only the log can tell the operator. */
function tellOfRefusal({ config, isDue }: Parts, error: unknown): void {
  const { code, message } = error as HelperError;
  if (code === 'sso-token-invalid' && isDue(message))
    config.log.warn(
      { code, reason: message },
      'an SSO token was refused: does the site sign with this secret?',
    );
}

/** @throws HelperError `unauthenticated` for a guest who has signed in since: what that guest asks would be nobody's */
export async function requireAsker({ store }: Parts, { owner, visitor }: Session): Promise<void> {
  if (visitor.kind === 'anonymous' && (await store.isMerged(owner))) throw new HelperError('unauthenticated');
}

/** What an anonymous visitor said goes along at sign-in; a session that was ever signed in or merged gives nothing. */
async function inherit(parts: Parts, earlier: string, owner: string): Promise<void> {
  const sessions = await parts.sessions();
  const before = await sessions.verifyForRenewal(earlier).catch(() => undefined);
  if (before?.visitor.kind !== 'anonymous') return;
  const moved = await parts.store.mergeOwner(before.owner, owner);
  // What waits for a question goes along where it can, or goes: it is no reason to keep somebody out.
  const move = () => parts.attachments.move(before.owner, owner);
  if (moved && parts.config.attachments)
    await move()
      .catch(move)
      .catch(() => parts.attachments.forget(before.owner));
  if (moved)
    parts.config.log.info(
      { from: (await hashText(before.owner)).slice(0, 12) },
      'an anonymous visitor signed in',
    );
}

function toAllowed({ config }: Parts, visitor: Visitor): Allowed {
  return {
    reasoningModes: [...config.reasoningModes],
    attachments: config.attachments ? { ...config.attachments, types: [...config.attachments.types] } : false,
    chatModes: visitor.member ? [...chatModes] : ['ask'],
  };
}

/** `POST /conversations/{id}/attachments?name=`: a file, as it is, for the question that will name it. */

import { findType } from '../attachments/kinds.ts';
import { HelperError } from '../errors.ts';
import { maxFileNameChars } from '../protocol/attachment.ts';
import {
  type Parts,
  readBody,
  requireOwn,
  requireUuid,
  type SignedExchange,
  toJsonResponse,
} from './exchange.ts';

/** On a phone with a weak signal. */
const uploadMs = 120_000;
/** Bodies that are being read, each as large as a file may be: of one address, and of all. */
const mostOfOne = 4;
const mostAtOnce = 40;

export async function postAttachment(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const { config, store, attachments, uploads } = parts;
  const since = parts.now();
  const { attachments: rules } = config;
  if (!rules) throw new HelperError('not-allowed', 'attachments are not allowed here');
  const conversationId = requireUuid(exchange, 'id');
  const name = requireName(exchange.query.get('name'));
  const conversation = await store.findConversation(conversationId);
  // Before its first question there is none yet.
  if (conversation) requireOwn(conversation, exchange.session, config);
  const whose = exchange.address ?? exchange.session.owner;
  const own = uploads.filter((one) => one === whose).length;
  if ((config.limited && own >= mostOfOne) || uploads.length >= mostAtOnce)
    throw new HelperError('rate-limited', 'Too many files come at once', 5_000);
  uploads.push(whose);
  const bytes = await readBody(exchange.request, rules.bytes, uploadMs).finally(() =>
    uploads.splice(uploads.indexOf(whose), 1),
  );
  const type = findType(bytes);
  if (type === undefined || !rules.types.includes(type))
    throw new HelperError('not-allowed', `attachments: ${rules.types.join(', ')} are allowed`);
  const place = { owner: exchange.session.owner, conversationId };
  const kept = await attachments.keep(
    place,
    { name, type, bytes },
    config.limited ? exchange.address : undefined,
    since,
  );
  return toJsonResponse(kept, exchange.headers, 201);
}

/** As it is shown: the last part of a path, without what nobody sees. */
function requireName(given: string | null): string {
  const name = (given ?? '')
    .split(/[/\\]/)
    .at(-1)!
    .replace(/[\p{C}\u2028\u2029]/gu, '')
    .trim();
  if (name === '' || /^\.+$/.test(name)) throw new HelperError('bad-request', 'name: expected a file name');
  return cut(name, maxFileNameChars);
}

/** As the agent counts, and no character halved. */
function cut(text: string, mostUnits: number): string {
  let kept = '';
  for (const character of text) {
    if (kept.length + character.length > mostUnits) break;
    kept += character;
  }
  return kept;
}

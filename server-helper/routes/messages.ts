/** `PUT /conversations/{id}/messages/{messageId}/vote`: the visitor's word on an answer. */
import { hashText } from '../auth/keys.ts';
import { HelperError } from '../errors.ts';
import { readVoteRequest } from '../protocol/check.ts';
import { readTurnId } from '../protocol/wire.ts';
import {
  type Parts,
  readJson,
  requireConversation,
  type SignedExchange,
  toEmptyResponse,
} from './exchange.ts';

export async function voteMessage(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const conversation = await requireConversation(parts, exchange);
  const { vote } = await readJson(exchange.request, readVoteRequest);
  const turnId = readTurnId(exchange.params.messageId ?? '');
  const turn = turnId === undefined ? undefined : await parts.store.findTurn(conversation.id, turnId);
  if (!turn || turn.agentMessageId === undefined) throw new HelperError('not-found');
  // The agent learns that it is one voter, not who.
  const voterId = (await hashText(exchange.session.owner)).slice(0, 32);
  await parts.conversations.vote(conversation.chatId, turn.agentMessageId, vote, voterId);
  // Another may have come since the turn was read.
  const before = await parts.store.voteTurn(conversation.id, turn.id, vote === 'none' ? undefined : vote);
  parts.tallies?.voted(vote, before ?? 'none');
  return toEmptyResponse(exchange.headers);
}

/** `PUT /conversations/{id}/messages/{messageId}/vote`: the visitor's word on an answer. */
import { hashText } from '../auth/keys.ts';
import { HelperError } from '../errors.ts';
import { readVoteRequest } from '../protocol/check.ts';
import { toAgentMessageId } from '../protocol/wire.ts';
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
  const turns = await parts.store.listTurns(conversation.id);
  const turn = turns.find(({ id }) => toAgentMessageId(id) === exchange.params.messageId);
  if (!turn || turn.agentMessageId === undefined) throw new HelperError('not-found');
  // The agent learns that it is one voter, not who.
  const voterId = (await hashText(exchange.session.owner)).slice(0, 32);
  await parts.conversations.vote(conversation.chatId, turn.agentMessageId, vote, voterId);
  await parts.store.voteTurn(conversation.id, turn.id, vote === 'none' ? undefined : vote);
  return toEmptyResponse(exchange.headers);
}

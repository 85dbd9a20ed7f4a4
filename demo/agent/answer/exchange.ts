/** What a model asked of tools in this answer, and what they gave, within its context. */

import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { cutTogether } from './room.ts';
import { ofTokens, toSize } from './tokens.ts';

/** Of the model's context: for its answer, and for the latest results, however little is left. */
const [answerShare, leastShare] = [0.15, 0.1];
/** Of a call that was done, in the place of long arguments. */
const cutArguments = JSON.stringify({ cut: 'too long to be told again' });

/** What is left of the context for what is not `sent` yet, in quarters of a token: a little, however full it is. */
export const toRoom = (sent: string, contextTokens: number): number =>
  Math.max(ofTokens(contextTokens * (1 - answerShare)) - toSize(sent), ofTokens(contextTokens * leastShare));

type Calls = Extract<ChatCompletionMessageParam, { role: 'assistant' }>;
/** One message of the model's, with the results of its calls. */
type Round = { calls: Calls; results: Extract<ChatCompletionMessageParam, { role: 'tool' }>[] };

/**
 * The latest round has up to half of the room, the one before it up to half of the rest, and so on; the oldest go
 * where none is left.
 *
 * @param fixed size of all that is sent besides, in quarters of a token
 */
export function withinContext(
  exchange: readonly ChatCompletionMessageParam[],
  fixed: number,
  contextTokens: number,
): ChatCompletionMessageParam[] {
  const rounds = toRounds(exchange);
  const least = ofTokens(contextTokens * leastShare);
  let left = Math.max(ofTokens(contextTokens * (1 - answerShare)) - fixed, 0);
  const kept: ChatCompletionMessageParam[] = [];
  for (const [age, round] of rounds.reverse().entries()) {
    const isLatest = age === 0;
    const calls = toFrame(round) > left ? withShortArguments(round.calls) : round.calls;
    const frame = toFrame({ ...round, calls });
    if (!isLatest && frame > left) break;
    left = Math.max(left - frame, isLatest ? least : 0);
    const results = cutTogether(
      round.results.map(({ content }) => String(content)),
      age === rounds.length - 1 ? left : left / 2,
    );
    for (const text of results) left -= toSize(text);
    kept.unshift(calls, ...round.results.map((result, index) => ({ ...result, content: results[index]! })));
  }
  return kept;
}

function toRounds(exchange: readonly ChatCompletionMessageParam[]): Round[] {
  const rounds: Round[] = [];
  for (const message of exchange) {
    if (message.role === 'assistant') rounds.push({ calls: message, results: [] });
    if (message.role === 'tool') rounds.at(-1)?.results.push(message);
  }
  return rounds;
}

/** What it takes without what tools gave. */
const toFrame = ({ calls, results }: Round): number =>
  toSize(JSON.stringify([calls, ...results.map((result) => ({ ...result, content: '' }))]));

const withShortArguments = (calls: Calls): Calls => ({
  ...calls,
  tool_calls: (calls.tool_calls ?? []).map((call) =>
    call.type === 'function' && toSize(call.function.arguments) > cutArguments.length
      ? { ...call, function: { ...call.function, arguments: cutArguments } }
      : call,
  ),
});

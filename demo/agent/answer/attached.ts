/** What a model is shown of attached files: as much as all else leaves. */

import type { FoundPassage } from '../retrieval/search.ts';
import type { AnswerRequest } from './answerer.ts';
import { toRoom } from './exchange.ts';
import { toPrompt } from './prompt.ts';
import { cutTogether } from './room.ts';

export function withAttachedCut(request: AnswerRequest, passages: readonly FoundPassage[]): AnswerRequest {
  const { attachments } = request.data;
  if (!attachments) return request;
  const texts = attachments.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const withTexts = (given: readonly string[]): AnswerRequest => {
    const left = [...given];
    const attached = attachments.map((one) =>
      one.text === undefined ? one : { ...one, text: left.shift()! },
    );
    return { ...request, data: { ...request.data, attachments: attached } };
  };
  const others = JSON.stringify([toPrompt(withTexts(texts.map(() => '')), passages), request.tools]);
  return withTexts(cutTogether(texts, toRoom(others, request.contextTokens)));
}

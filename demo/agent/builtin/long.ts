/** Of what is long, what a question is likely to stand in: its beginning and its end. */

import type { AnswerRequest } from '../answer/answerer.ts';

/** More would hold everybody up: some of what reads it takes time by the square of its length. */
const [mostOfBeginning, mostOfEnd] = [3_000, 1_000];

export function shorten(text: string): string {
  if (text.length <= mostOfBeginning + mostOfEnd) return text;
  return `${text.slice(0, mostOfBeginning)}\n${text.slice(-mostOfEnd)}`;
}

/** A request in which nothing that was said is too long to be read. */
export function shortenAll(request: AnswerRequest): AnswerRequest {
  return {
    ...request,
    question: shorten(request.question),
    history: request.history.map((message) => ({ ...message, content: shorten(message.content) })),
  };
}

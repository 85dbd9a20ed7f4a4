/** A question as it is sent: with the mode that is chosen, and the page on which it is asked. */
import type { ReadonlySignal } from '@preact/signals';
import type { TurnRequest } from '../../server-helper/protocol/wire.ts';

export type RequestDeps = {
  readPage: () => TurnRequest['page'];
  /** The page, and what it says of itself for the visitor who is there; undefined where it says nothing. */
  readSaid: () => TurnRequest['page'];
  /** It is known whose conversation is shown. */
  isReady: () => boolean;
  readMode: () => TurnRequest['reasoningMode'];
};

/** @param chosen what the agent may do, where that was chosen */
export function createRequests(
  { readPage, readSaid, isReady, readMode }: RequestDeps,
  chosen: ReadonlySignal<Pick<TurnRequest, 'mode'> | undefined>,
) {
  // What is said for one visitor must not wait with a question until another is there.
  const toPage = () => (isReady() && readSaid()) || readPage();
  return {
    toRequest: (text: string, replaces?: string): TurnRequest => ({
      text,
      reasoningMode: readMode(),
      ...chosen.value,
      page: toPage(),
      // It is offered of the last one that is shown.
      replaces,
      newest: replaces,
    }),
    /**
     * Of one that waited: which modes there are is known by now, and what its page says of itself, if that is still there.
     * @param isAnew what any page says by now
     */
    toCurrent: (question: TurnRequest, isAnew = false): TurnRequest => ({
      ...question,
      reasoningMode: question.reasoningMode ?? readMode(),
      page: ((isAnew || question.page?.url === readPage()?.url) && toPage()) || question.page,
    }),
  };
}

/** A question as it is sent: with the mode that is chosen, and the page on which it is asked. */
import type { TurnRequest } from '../../server-helper/protocol/wire.ts';

export type RequestDeps = {
  readPage: () => TurnRequest['page'];
  /** The page, and what it says of itself for the visitor who is there; undefined where it says nothing. */
  readSaid: () => TurnRequest['page'];
  /** It is known whose conversation is shown. */
  isReady: () => boolean;
  readMode: () => Pick<TurnRequest, 'reasoningMode'>;
};

export function createRequests({ readPage, readSaid, isReady, readMode }: RequestDeps) {
  // What is said for one visitor must not wait with a question until another is there.
  const toPage = () => {
    const page = (isReady() && readSaid()) || readPage();
    return page && { page };
  };
  return {
    toRequest: (text: string, replaces?: string): TurnRequest => ({
      text,
      ...readMode(),
      ...toPage(),
      // It is offered of the last one that is shown.
      ...(replaces !== undefined && { replaces, newest: replaces }),
    }),
    /**
     * Of one that waited: which modes there are is known by now, and what its page says of itself, if that is still there.
     * @param isAnew what any page says by now
     */
    toCurrent: (question: TurnRequest, isAnew = false): TurnRequest => ({
      ...readMode(),
      ...question,
      ...((isAnew || question.page?.url === readPage()?.url) && toPage()),
    }),
  };
}

/** A question as it is sent: with the mode that is chosen, and the page on which it is asked. */
import type { TurnRequest } from '../../server-helper/protocol/wire.ts';

export type RequestDeps = {
  readPage: () => TurnRequest['page'];
  readMode: () => Pick<TurnRequest, 'reasoningMode'>;
};

export function createRequests({ readPage, readMode }: RequestDeps) {
  const toPage = (url?: string) => {
    const page = readPage();
    return page && (url ?? page.url) === page.url && { page };
  };
  return {
    toRequest: (text: string, replaces?: string): TurnRequest => ({
      text,
      ...readMode(),
      ...toPage(),
      ...(replaces !== undefined && { replaces }),
    }),
    /** Of one that waited: which modes there are is known by now, and what its page says of itself, if that is still there. */
    toCurrent: (question: TurnRequest): TurnRequest => ({
      ...readMode(),
      ...question,
      ...toPage(question.page?.url),
    }),
  };
}

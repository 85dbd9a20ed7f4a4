/** `fetch` for a model's host, which asks again where the connection ends before anything came back: a host closes those that rest, and the one that is taken from the pool may be just closing. */

import { setTimeout as rest } from 'node:timers/promises';

const waitsMs = [50, 250];
const cutOff = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

export const askAgain: typeof fetch = async (input, init) => {
  for (const waitMs of waitsMs) {
    try {
      return await fetch(input, init);
    } catch (thrown) {
      if (init?.signal?.aborted || !wasCutOff(thrown)) throw thrown;
      await rest(waitMs, undefined, { signal: init?.signal ?? undefined });
    }
  }
  return fetch(input, init);
};

const wasCutOff = (thrown: unknown): boolean =>
  thrown instanceof TypeError && cutOff.has((thrown.cause as { code?: string } | undefined)?.code ?? '');

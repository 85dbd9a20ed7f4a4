/** Long work in pieces: others have the event loop in between. */

import { setImmediate as breathe } from 'node:timers/promises';

/** Between two looks at what else there is to do. */
const bytesAtOnce = 512 * 1024;
/** What a file costs beside its bytes, as if it were bytes. */
const perFile = bytesAtOnce / 100;

/** @returns what is awaited after each file, with its bytes. Throws why `signal` aborts. */
export function createBreath(signal?: AbortSignal) {
  let done = 0;
  return async (bytes: number) => {
    done += bytes + perFile;
    if (done < bytesAtOnce) return;
    done = 0;
    await breathe();
    signal?.throwIfAborted();
  };
}

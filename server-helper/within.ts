/** Waits: for a time, and for a promise no longer than that. */

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** @throws Error with the code `TIMEOUT` after `ms` */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('too late'), { code: 'TIMEOUT' })), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Those too that are added meanwhile. */
export async function settleAll(promises: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (promises.size > 0) await Promise.allSettled(promises);
}

/** An AbortController that is made once somebody listens: it takes half a kilobyte, and nearly nobody does. */
export class LateSignal {
  isAborted = false;
  #controller: AbortController | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isAborted) this.#controller.abort();
    return this.#controller.signal;
  }
  abort(): void {
    this.isAborted = true;
    this.#controller?.abort();
  }
}

/** A store around another one that fails, delays or locks the n-th call, or all calls for a while. */
import { type Store, StoreBusy } from '../../server-helper/store/store.ts';

/** `before`: nothing was done. `after`: it was done, and the caller is told that it failed. */
export type Failure = 'before' | 'after' | 'slow' | 'locked';

export type FailingStore = {
  store: Store;
  /** How many calls there have been. */
  readonly calls: number;
  /** The call that failed, once one has. */
  readonly failed: string | undefined;
  /** Fails every call until it is undefined again. */
  failAll: Failure | undefined;
  /** From now on no single call fails. */
  heal(): void;
};

/** Longer than a visitor is made to wait for a store. */
export const slowMs = 1_300;

/** @param n which call fails, from 1; 0 for none */
export function createFailingStore(inner: Store, n: number, failure: Failure): FailingStore {
  const state = {
    calls: 0,
    n,
    failed: undefined as string | undefined,
    failAll: undefined as Failure | undefined,
  };

  const wrap =
    (name: string, method: (...values: unknown[]) => Promise<unknown>) =>
    async (...values: unknown[]) => {
      state.calls += 1;
      const isIt = state.calls === state.n;
      const how = isIt ? failure : state.failAll;
      if (isIt) state.failed = name;
      if (how === 'before') throw new Error(`${name} failed`);
      if (how === 'locked') throw new StoreBusy(`${name} found the store locked`);
      if (how === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMs));
      const result = await method(...values);
      if (how === 'after') throw new Error(`${name} failed on its way back`);
      return result;
    };

  /** Those that wait for nothing are left as they are. */
  const plain = new Set(['close', 'follow']);
  const wrapAll = <T extends object>(one: T): T =>
    Object.fromEntries(
      Object.entries(one).map(([name, method]) => {
        if (typeof method === 'object') return [name, wrapAll(method)];
        return [name, plain.has(name) ? method : wrap(name, method)];
      }),
    ) as T;
  const store = wrapAll(inner);
  return {
    store,
    heal() {
      state.n = 0;
    },
    get calls() {
      return state.calls;
    },
    get failed() {
      return state.failed;
    },
    get failAll() {
      return state.failAll;
    },
    set failAll(how) {
      state.failAll = how;
    },
  };
}

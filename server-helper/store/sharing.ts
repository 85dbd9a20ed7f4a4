/** How many helpers of this process have a store: the last one closes it. */
import type { Store } from './store.ts';

const users = new WeakMap<Store, number>();

export function retain(store: Store): void {
  users.set(store, (users.get(store) ?? 0) + 1);
}

export async function release(store: Store): Promise<void> {
  const left = (users.get(store) ?? 1) - 1;
  users.set(store, left);
  if (left === 0) await store.close();
}

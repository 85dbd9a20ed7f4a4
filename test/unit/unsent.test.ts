/** What was sent in vain waits in its tab for the one who sent it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createUnsent } from '../../widget/state/unsent.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createTab() {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  } as unknown as Storage;
  vi.stubGlobal('self', globalThis);
  vi.stubGlobal('top', globalThis);
  return {
    open: () =>
      createUnsent(
        'key',
        () => true,
        () => storage,
      ),
    read: () => [...kept.values()].join(),
  };
}

test('what one whose sign-in has ended had sent is there for that one, past a guest and a reload, once', () => {
  const tab = createTab();
  const unsent = tab.open();
  unsent.keepFor('To High Street', 'ada');
  expect(unsent.take(undefined)).toBeUndefined();
  const reloaded = tab.open();
  expect(reloaded.take(undefined)).toBeUndefined();
  expect(reloaded.take('ada')).toBe('To High Street');
  expect(reloaded.take('ada')).toBeUndefined();
  expect(tab.read()).toBe('');
});

test('the next customer has nothing of it, and after that one nobody', () => {
  const tab = createTab();
  const unsent = tab.open();
  unsent.keepFor('To High Street', 'ada');
  expect(unsent.take('ben')).toBeUndefined();
  expect(tab.read()).toBe('');
  expect(unsent.take('ada')).toBeUndefined();
});

test('after half an hour it is gone', () => {
  const tab = createTab();
  const unsent = tab.open();
  unsent.keepFor('To High Street', 'ada');
  vi.advanceTimersByTime(31 * 60_000);
  expect(unsent.take(undefined)).toBeUndefined();
  expect(tab.read()).toBe('');
  unsent.keepFor('To Low Street', 'ada');
  vi.advanceTimersByTime(31 * 60_000);
  expect(unsent.take('ada')).toBeUndefined();
});

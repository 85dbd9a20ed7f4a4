/** Milliseconds left of a wait, told once a second. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** @param key another value starts the wait anew */
export function useCountdown(totalMs: number, key: unknown): number {
  const leftMs = useSignal(totalMs);
  useEffect(() => {
    leftMs.value = totalMs;
    if (!totalMs) return;
    const until = performance.now() + totalMs;
    const timer = setInterval(() => {
      leftMs.value = Math.max(0, until - performance.now());
      if (!leftMs.value) clearInterval(timer);
    }, 1000);
    return () => clearInterval(timer);
  }, [key]);
  return leftMs.value;
}

/** Copies to the clipboard, and says so for a while; where the browser refuses, what was to be copied is selected instead. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StringKey } from '../strings/en.ts';
import { useChat } from './context.ts';

const saidMs = 2_000;

/** A clipboard's kinds of data, by their media types. */
export type Copied = { 'text/plain': string; 'text/html'?: string };

/** @param word what is said of it */
export function useCopied(word: StringKey) {
  const { hint, say, t } = useChat();
  const copied = useSignal(false);
  useEffect(() => {
    if (!copied.value) return;
    const timer = setTimeout(() => {
      copied.value = false;
    }, saidMs);
    return () => clearTimeout(timer);
  }, [copied.value]);
  /** @param shown where it stands on the screen */
  const copy = async (data: Copied, shown: Element | null | undefined) => {
    try {
      // Missing where the page is not served securely.
      if (data['text/html'] === undefined) await navigator.clipboard.writeText(data['text/plain']);
      else {
        const blobs = Object.entries(data).map(([type, text]) => [type, new Blob([text], { type })]);
        await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))]);
      }
      copied.value = true;
      say(t(word));
    } catch {
      if (shown) getSelection()?.selectAllChildren(shown);
      hint.value = { state: 'not-copied' };
    }
  };
  return { isCopied: copied.value, copy };
}

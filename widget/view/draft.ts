/** What is being written, kept for the next page whether the chat is open or closed: a session may come at any moment. */
import { effect } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { join } from '../state/unsent.ts';
import type { ChatContext, Shared } from './context.ts';

export function useDraft({ panel, memory, conversation }: ChatContext, { draft, hint }: Shared): void {
  const putBefore = (text: string) => {
    const { value } = draft;
    draft.value = text.includes(value) ? text : join(text, value);
  };
  const subject = panel.session.value?.subject;
  const isKnown = subject !== undefined;
  const seenBacks = useRef(panel.backs.value);
  // What stood here when the page was left; then each word of what stands here now, before anything else can happen.
  useLayoutEffect(() => {
    const { draft: kept } = memory.read();
    if (!isKnown || kept === undefined) return;
    // A page that is put back shows what was being written when it was left: the pages after it went on with that.
    if (panel.backs.value > seenBacks.current) draft.value = kept;
    else if (!draft.value.startsWith(kept)) putBefore(kept);
    seenBacks.current = panel.backs.value;
  }, [isKnown, panel.backs.value]);
  const unsent = panel.unsent.value;
  useLayoutEffect(() => {
    if (unsent === undefined) return;
    putBefore(unsent);
    const last = conversation.entries.peek().at(-1)?.answer.value;
    // In its place, what is said of the answer would not be read out, nor be seen where a dock is closed.
    hint.value = { state: 'not-sent', cause: last?.status === 'failed' ? last : undefined };
    panel.giveBack(undefined);
  }, [unsent]);
  useLayoutEffect(() => effect(() => (isKnown ? memory : conversation).keepDraft(draft.value)), [subject]);
}

/** Older messages, above those that are shown. Loaded with the first scroll up to them. */
import { batch } from '@preact/signals';
import type { ConversationReply } from '../../server-helper/protocol/wire.ts';
import { toEntries } from './entries.ts';
import type { Screen } from './screen.ts';

/** @param read reads a page of a conversation @throws what `read` does */
export async function readOlder(
  { id, entries, loading, told, problem, signal }: Screen,
  read: (conversationId: string, query: string) => Promise<ConversationReply>,
): Promise<void> {
  const conversationId = id.value;
  if (!told.value?.next || conversationId === undefined || loading.value) return;
  loading.value = true;
  problem.value = undefined;
  try {
    const reply = await read(conversationId, `?cursor=${encodeURIComponent(told.value.next)}`);
    if (signal.aborted) return;
    const shown = new Set(entries.value.map(({ turnId }) => turnId));
    batch(() => {
      const before = toEntries(reply.messages).filter(({ turnId }) => !shown.has(turnId));
      entries.value = [...before, ...entries.value];
      told.value = reply;
    });
  } finally {
    if (!signal.aborted) loading.value = false;
  }
}

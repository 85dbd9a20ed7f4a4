/** Whether the panel is open, and which of its two sides shows: the conversation, or the list of all. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { ConversationList, ConversationSummary } from '../../server-helper/protocol/wire.ts';
import { WidgetError } from '../errors.ts';
import type { SessionKeeper, SessionState } from '../transport/session.ts';
import type { Tabs } from '../transport/tabs.ts';

export type Side = 'conversation' | 'history';

export type Panel = {
  readonly isOpen: ReadonlySignal<boolean>;
  readonly side: ReadonlySignal<Side>;
  readonly session: ReadonlySignal<SessionState | undefined>;
  /** Why there is no session. */
  readonly refused: ReadonlySignal<WidgetError | undefined>;
  /** Why the list could not be loaded. */
  readonly listError: ReadonlySignal<WidgetError | undefined>;
  readonly conversations: ReadonlySignal<readonly ConversationSummary[] | undefined>;
  readonly hasMore: ReadonlySignal<boolean>;
  /** Counts up with each change of visitor: a draft belongs to the one who wrote it. */
  readonly visit: ReadonlySignal<number>;
  setOpen(open: boolean): void;
  show(side: Side): void;
  /** What is on screen stays out of sight until it is known whose it is. */
  readonly veiled: ReadonlySignal<boolean>;
  veil(isVeiled: boolean): void;
  /** Somebody is there, and this is their session. */
  publish(session: SessionState): void;
  refuse(error: WidgetError): void;
  loadConversations(more?: boolean): Promise<void>;
  remove(id: string): Promise<void>;
  /** Another visitor: nothing of the earlier one is left. */
  reset(): void;
};

export function createPanel(sessions: SessionKeeper, tabs: Tabs): Panel {
  const isOpen = signal(false);
  const side = signal<Side>('conversation');
  const session = signal<SessionState | undefined>(undefined);
  const refused = signal<WidgetError | undefined>(undefined);
  const listError = signal<WidgetError | undefined>(undefined);
  const conversations = signal<readonly ConversationSummary[] | undefined>(undefined);
  const next = signal<string | undefined>(undefined);
  const hasMore = signal(false);
  const visit = signal(0);
  const veiled = signal(false);
  let generation = 0;

  return {
    isOpen,
    side,
    session,
    refused,
    listError,
    conversations,
    hasMore,
    visit,
    setOpen: (open) => {
      isOpen.value = open;
    },
    show: (which) => {
      side.value = which;
    },
    veiled,
    veil: (isVeiled) => {
      veiled.value = isVeiled;
    },
    publish(opened) {
      session.value = opened;
      refused.value = undefined;
    },
    refuse(error) {
      refused.value = error;
    },
    async loadConversations(more = false) {
      const mine = generation;
      const cursor = more && next.value !== undefined ? `?cursor=${encodeURIComponent(next.value)}` : '';
      try {
        const response = await sessions.call({ method: 'GET', path: `/conversations${cursor}` });
        const list = (await response.json()) as ConversationList;
        if (mine !== generation) return;
        conversations.value = more
          ? [...(conversations.value ?? []), ...list.conversations]
          : list.conversations;
        next.value = list.next;
        hasMore.value = list.next !== undefined;
        listError.value = undefined;
      } catch (error) {
        if (mine === generation)
          listError.value = error instanceof WidgetError ? error : new WidgetError('internal');
      }
    },
    async remove(id) {
      await sessions.call({ method: 'DELETE', path: `/conversations/${id}` }).catch((error: unknown) => {
        // Gone already: that is what was wanted.
        if (!(error instanceof WidgetError) || error.code !== 'not-found') throw error;
      });
      conversations.value = conversations.value?.filter((one) => one.id !== id);
      tabs.tell({ kind: 'deleted', conversationId: id });
    },
    reset() {
      generation += 1;
      visit.value = generation;
      session.value = undefined;
      refused.value = undefined;
      listError.value = undefined;
      conversations.value = undefined;
      next.value = undefined;
      hasMore.value = false;
      side.value = 'conversation';
    },
  };
}

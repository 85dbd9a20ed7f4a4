/** The root of what is shown: the panel above its launcher, or the dock at the bottom of the page. */
import { signal } from '@preact/signals';
import { createRef } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ConversationList } from '../../server-helper/protocol/wire.ts';
import { Composer } from './composer.tsx';
import { Chat, type ChatContext, type Hint } from './context.ts';
import { useDialog, useIsSmall } from './dialog.ts';
import { useDraft } from './draft.ts';
import { PanelView } from './panel.tsx';
import { createPart } from './part.tsx';

/** Nobody has asked for the dock, so nothing is said in its place. */
const Dock = createPart(
  () => import('./dock.tsx'),
  () => null,
);

/** @param focuses the panel was opened by the visitor, so the composer takes the focus */
export function App({ chat, focuses }: { chat: ChatContext; focuses: () => boolean }) {
  const shared = useMemo(
    () => ({
      draft: signal(''),
      changing: signal<string | undefined>(undefined),
      hint: signal<Hint | undefined>(undefined),
      spoken: signal(''),
      field: createRef<HTMLTextAreaElement>(),
      list: signal<ConversationList | undefined>(undefined),
    }),
    // Another visitor finds nothing of this one's.
    [chat.panel.visit.value],
  );
  useDraft(chat, shared);
  return (
    <Chat.Provider value={{ ...chat, ...shared }}>
      {chat.panel.isDock.value ? <Dock /> : chat.panel.isOpen.value && <Window focus={focuses()} />}
    </Chat.Provider>
  );
}

function Window({ focus }: { focus: boolean }) {
  const dialog = useDialog(useIsSmall());
  return (
    <PanelView dialog={dialog}>
      <Composer focus={focus} />
    </PanelView>
  );
}

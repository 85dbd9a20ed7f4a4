/** The root of what is shown: the panel above its launcher, or the dock at the bottom of the page. */
import { signal } from '@preact/signals';
import { createRef } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ConversationList } from '../../server-helper/protocol/wire.ts';
import type { State } from '../states.ts';
import { Composer } from './composer.tsx';
import { Chat, type ChatContext, useChat } from './context.ts';
import { useDialog, useIsSmall } from './dialog.ts';
import { PanelView } from './panel.tsx';
import { createPart } from './part.tsx';

const Dock = createPart(() => import('./dock.tsx'), DockToCome);
const dockAgainMs = 5_000;
const mostDoublings = 4;

/** Nobody has asked for the dock, so nothing is said in its place; it is tried again. */
function DockToCome({ isFailed }: { isFailed: boolean }) {
  const { options } = useChat();
  const tries = useRef(0);
  useEffect(() => {
    if (!isFailed) return;
    const waitMs = dockAgainMs * 2 ** Math.min(tries.current, mostDoublings);
    tries.current += 1;
    const timer = setTimeout(() => Dock.load(options.helper), waitMs);
    return () => clearTimeout(timer);
  }, [isFailed]);
  return null;
}

/** @param focuses the panel was opened by the visitor, so the composer takes the focus */
export function App({ chat, focuses }: { chat: ChatContext; focuses: () => boolean }) {
  const shared = useMemo(
    () => ({
      draft: signal(''),
      hint: signal<{ state: State } | undefined>(undefined),
      spoken: signal(''),
      field: createRef<HTMLTextAreaElement>(),
      list: signal<ConversationList | undefined>(undefined),
    }),
    // Another visitor finds nothing of this one's.
    [chat.panel.visit.value],
  );
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

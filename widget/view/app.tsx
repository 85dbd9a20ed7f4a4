/** The root of what is shown: the panel above its launcher, or the dock at the bottom of the page. */
import { signal, useSignal } from '@preact/signals';
import { createRef } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ConversationList } from '../../server-helper/protocol/wire.ts';
import { smallQuery } from '../page.ts';
import type { State } from '../states.ts';
import { useBorrowed } from './borrowed.ts';
import { Composer } from './composer.tsx';
import { Chat, type ChatContext, useChat } from './context.ts';
import { useDialog } from './dialog.ts';
import { PanelView } from './panel.tsx';
import { Suggestions } from './suggestions.tsx';

function useIsSmall(): boolean {
  const isSmall = useSignal(matchMedia(smallQuery).matches);
  useEffect(() => {
    const media = matchMedia(smallQuery);
    const onChange = () => {
      isSmall.value = media.matches;
    };
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, [isSmall]);
  return isSmall.value;
}

/** @param focuses the panel was opened by the visitor, so the composer takes the focus */
export function App({ chat, focuses }: { chat: ChatContext; focuses: () => boolean }) {
  const isDock = chat.options.openStyle === 'dock';
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
      {isDock ? <Dock /> : chat.panel.isOpen.value && <Window focus={focuses()} />}
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

/** The composer stays where it is while the panel opens above it, so the dialog is the dock as a whole. */
function Dock() {
  const { panel, field, t } = useChat();
  const isOpen = panel.isOpen.value;
  const isSmall = useIsSmall();
  const { ref, ...dialog } = useDialog(isSmall && isOpen);
  useBorrowed(({ reserveDockRoom }) => reserveDockRoom(field.current!.form!), true);
  return (
    <div
      ref={ref}
      part="dock"
      lang={t('language')}
      class={isOpen ? 'dock open' : 'dock'}
      {...(isOpen ? dialog : { role: 'region', 'aria-label': t('chat') })}
    >
      {isOpen ? <PanelView /> : <Suggestions />}
      <Composer focus={false} />
    </div>
  );
}

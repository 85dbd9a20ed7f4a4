/** The root of what is shown: the panel above its launcher, or the dock at the bottom of the page. */
import { useEffect, useState } from 'preact/hooks';
import { Composer } from './composer.tsx';
import { Chat, type ChatContext, useChat } from './context.ts';
import { PanelView, useDialog } from './panel.tsx';
import { Suggestions } from './suggestions.tsx';

/** Below this width the chat covers the page. */
export const phoneQuery = '(max-width: 479.98px)';

function useIsPhone(): boolean {
  const [isPhone, setIsPhone] = useState(() => matchMedia(phoneQuery).matches);
  useEffect(() => {
    const media = matchMedia(phoneQuery);
    const onChange = () => setIsPhone(media.matches);
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, []);
  return isPhone;
}

/** @param focuses the panel was opened by the visitor, so the composer takes the focus */
export function App({ chat, focuses }: { chat: ChatContext; focuses: () => boolean }) {
  const isDock = chat.options.openStyle === 'dock';
  return (
    <Chat.Provider value={chat}>
      {isDock ? <Dock /> : chat.panel.isOpen.value && <Window focus={focuses()} />}
    </Chat.Provider>
  );
}

function Window({ focus }: { focus: boolean }) {
  const { panel } = useChat();
  const dialog = useDialog(useIsPhone());
  return (
    <PanelView dialog={dialog}>
      <Composer key={panel.visit.value} focus={focus} />
    </PanelView>
  );
}

/** The composer stays where it is while the panel opens above it, so the dialog is the dock as a whole. */
function Dock() {
  const { panel } = useChat();
  const isOpen = panel.isOpen.value;
  const dialog = useDialog(useIsPhone());
  return (
    <div part="dock" class={isOpen ? 'dock open' : 'dock'} {...(isOpen ? dialog : {})}>
      {isOpen ? <PanelView /> : <Suggestions />}
      <Composer key={panel.visit.value} focus={false} />
    </div>
  );
}

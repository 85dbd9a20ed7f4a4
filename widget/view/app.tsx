/** The root of what is shown: the panel above its launcher, or the dock at the bottom of the page. */
import { useEffect, useState } from 'preact/hooks';
import { Composer } from './composer.tsx';
import { Chat, type ChatContext } from './context.ts';
import { PanelView } from './panel.tsx';
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
  const isPhone = useIsPhone();
  const isOpen = chat.panel.isOpen.value;
  const visit = chat.panel.visit.value;
  return (
    <Chat.Provider value={chat}>
      {chat.options.openStyle === 'dock' ? (
        <div part="dock" class={isOpen ? 'dock open' : 'dock'}>
          {isOpen ? <PanelView isModal={isPhone} /> : <Suggestions />}
          <Composer key={visit} focus={false} />
        </div>
      ) : (
        isOpen && (
          <PanelView isModal={isPhone}>
            <Composer key={visit} focus={focuses()} />
          </PanelView>
        )
      )}
    </Chat.Provider>
  );
}

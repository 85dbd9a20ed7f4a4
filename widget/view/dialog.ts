/** What makes the opened chat a dialog: its name, Escape, and, where it covers the page, focus that stays in it. */
import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { smallQuery } from '../options.ts';
import { useBorrowed } from './borrowed.ts';
import { useChat } from './context.ts';

/** @param isModal the chat covers the page */
export function useDialog(isModal: boolean) {
  const { panel, options, t, close } = useChat();
  const dialog = useRef<HTMLDivElement>(null);
  useBorrowed(({ holdPage }) => holdPage(dialog.current!), isModal);
  const name = panel.session.value?.agent.name ?? options.title;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.isComposing) {
      event.stopPropagation();
      // Nor is it for what of the page stands beneath.
      event.preventDefault();
      close();
    }
  };
  return {
    role: 'dialog',
    'aria-modal': isModal,
    'aria-label': name === undefined ? t('chat') : t('panel', { name }),
    ref: dialog,
    // A click on what is no control leaves the focus in the chat.
    tabIndex: -1,
    onKeyDown,
  } as const;
}

const small = matchMedia(smallQuery);
export const isSmall = signal(small.matches);
small.addEventListener('change', () => {
  isSmall.value = small.matches;
});

/** The chat covers the page, if it is open. */
export const useIsSmall = (): boolean => isSmall.value;

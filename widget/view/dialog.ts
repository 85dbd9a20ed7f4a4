/** What makes the opened chat a dialog: its name, Escape, and, where it covers the page, focus that stays in it. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useChat } from './context.ts';
import { holdPage } from './page.ts';

/** @param isModal the chat covers the page */
export function useDialog(isModal: boolean) {
  const { panel, t, close } = useChat();
  const dialog = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => (isModal && dialog.current ? holdPage(dialog.current) : undefined), [isModal]);
  const name = panel.session.value?.agent.name;
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    if (event.key === 'Escape' && !event.isComposing) {
      event.stopPropagation();
      close();
    }
    if (event.key === 'Tab' && isModal) keepFocusInside(event);
  };
  return {
    role: 'dialog',
    'aria-modal': isModal,
    'aria-label': name === undefined ? t('chat') : t('panel', { name }),
    ref: dialog,
    onKeyDown,
  } as const;
}

function keepFocusInside(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const reachable = [
    ...event.currentTarget.querySelectorAll<HTMLElement>(
      'button:not([disabled]), a[href], textarea, input:not([disabled]), [tabindex="0"]',
    ),
  ];
  const first = reachable[0];
  const last = reachable.at(-1);
  const active = (event.currentTarget.getRootNode() as ShadowRoot).activeElement;
  if (event.shiftKey && active === first) {
    event.preventDefault();
    last?.focus();
  } else if (!event.shiftKey && active === last) {
    event.preventDefault();
    first?.focus();
  }
}

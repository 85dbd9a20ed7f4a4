/** The panel of both styles: header, the conversation or the list, and the live region. */
import type { ComponentChildren } from 'preact';
import { sentences } from '../errors.ts';
import { Announcer } from './announcer.tsx';
import { useChat } from './context.ts';
import { History } from './history.tsx';
import { Icon } from './icons.tsx';
import { Messages } from './messages.tsx';

/**
 * What makes the opened chat a dialog: its name, Escape, and, where it covers the page, focus that stays in it.
 *
 * @param isModal the chat covers the page
 */
export function useDialog(isModal: boolean) {
  const { panel, t, close } = useChat();
  const name = panel.session.value?.agent.name ?? '';
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
    'aria-label': t('panel', { name }).trim(),
    onKeyDown,
  } as const;
}

/** @param dialog absent where something around the panel is the dialog, as the dock is */
export function PanelView({
  dialog,
  children,
}: {
  dialog?: ReturnType<typeof useDialog>;
  children?: ComponentChildren;
}) {
  const { panel, t } = useChat();
  return (
    <section part="panel" class="panel" {...dialog}>
      <Header name={panel.session.value?.agent.name ?? ''} />
      {panel.session.value?.tokenRefused && <p class="notice">{t('notSignedIn')}</p>}
      {panel.veiled.value && panel.refused.value && <p class="notice">{t(sentences[panel.refused.value])}</p>}
      {panel.side.value === 'history' ? <History /> : <Messages />}
      {children}
      <Announcer />
    </section>
  );
}

function Header({ name }: { name: string }) {
  const { panel, conversation, t, close } = useChat();
  const isHistory = panel.side.value === 'history';
  const tagline = panel.session.value?.agent.tagline;
  const startNew = () => {
    panel.show('conversation');
    conversation.startNew();
  };
  return (
    <header part="header" class="header">
      <div class="who">
        <h2>{name}</h2>
        {tagline && <p>{tagline}</p>}
      </div>
      <button
        type="button"
        class="icon"
        aria-label={t(isHistory ? 'back' : 'history')}
        onClick={() => panel.show(isHistory ? 'conversation' : 'history')}
      >
        <Icon name={isHistory ? 'back' : 'list'} />
      </button>
      <button type="button" class="icon" aria-label={t('newConversation')} onClick={startNew}>
        <Icon name="plus" />
      </button>
      <button type="button" class="icon" aria-label={t('close')} onClick={close}>
        <Icon name="close" />
      </button>
    </header>
  );
}

function keepFocusInside(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const reachable = [
    ...event.currentTarget.querySelectorAll<HTMLElement>(
      'button:not([disabled]), a[href], textarea:not([disabled]), input:not([disabled]), [tabindex="0"]',
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

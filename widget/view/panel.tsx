/** The panel of both styles: header, the conversation or the list, and the live region. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Announcer } from './announcer.tsx';
import { useChat } from './context.ts';
import { useCountdown } from './countdown.ts';
import type { useDialog } from './dialog.ts';
import { Icon } from './icons.tsx';
import type { KeptFocusProps } from './kept-focus.tsx';
import { Messages } from './messages.tsx';
import { Notice } from './notice.tsx';
import { createPart } from './part.tsx';

/** A page that answers sooner leaves nothing to be said. */
const patienceMs = 1_000;

const History = createPart(() => import('./history.tsx'));
const KeptFocus = createPart<KeptFocusProps>(
  () => import('./kept-focus.tsx'),
  () => null,
);

/** @param dialog absent where something around the panel is the dialog, as the dock is */
export function PanelView({
  dialog,
  children,
}: {
  dialog?: ReturnType<typeof useDialog>;
  children?: ComponentChildren;
}) {
  const { panel, t } = useChat();
  const guestReason = panel.session.value?.guestReason;
  /** What had the focus last, from the first on that is not the composer. */
  const reached = useSignal<KeptFocusProps['reached'] | undefined>(undefined);
  return (
    <section
      part="panel"
      class={panel.isWide.value ? 'panel wide' : 'panel'}
      lang={t('language')}
      onFocusIn={({ target }) => {
        const last = target as Element;
        if (reached.value) reached.value.last = last;
        else if (!last.matches('textarea')) reached.value = { last };
      }}
      {...dialog}
    >
      <Header />
      {guestReason && <Notice state={guestReason} class="notice" />}
      {panel.veil.value > 0 && <Veil key={panel.veil.value} />}
      {panel.side.value === 'history' ? <History /> : <Messages key={panel.visit.value} />}
      {children}
      <Announcer />
      {reached.value && <KeptFocus reached={reached.value} />}
    </section>
  );
}

/** What is said while all else is out of sight. */
function Veil() {
  const { panel, begin } = useChat();
  const isLong = useCountdown(patienceMs, 0) === 0;
  const refused = panel.refused.value;
  if (refused) return <Notice state={refused.code} cause={refused} again={begin} class="notice" />;
  return isLong ? <Notice state="checking" class="notice" /> : null;
}

function Header() {
  const { panel, conversation, memory, options, rest, t, close } = useChat();
  const isHistory = panel.side.value === 'history';
  const agent = panel.session.value?.agent;
  const startNew = () => {
    panel.show('conversation');
    conversation.startNew();
    rest();
  };
  return (
    <div part="header" class="header">
      <div class="who" dir="auto">
        <h2>{agent?.name || options.title || t('chat')}</h2>
        {agent?.tagline && <p>{agent.tagline}</p>}
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
      {!panel.isDock.value && (
        <button
          type="button"
          class="icon larger"
          aria-label={t('larger')}
          aria-pressed={panel.isWide.value}
          onClick={() => {
            panel.isWide.value = !panel.isWide.value;
            memory.change({ wide: panel.isWide.value });
          }}
        >
          <Icon name={panel.isWide.value ? 'smaller' : 'larger'} />
        </button>
      )}
      <button type="button" class="icon" aria-label={t('close')} onClick={close}>
        <Icon name="close" />
      </button>
    </div>
  );
}

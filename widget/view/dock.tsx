/** What is always there: the dock, a prompt bar at the bottom of the page with the panel above it once it is open; or a box of the page. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { readDockWidth } from '../options.ts';
import dockCss from '../styles/dock.css?inline';
import inlineCss from '../styles/inline.css?inline';
import { useBorrowed } from './borrowed.ts';
import { Composer } from './composer.tsx';
import { useChat } from './context.ts';
import { useDialog, useIsSmall } from './dialog.ts';
import { Inline } from './inline.tsx';
import { Notice } from './notice.tsx';
import { PanelView } from './panel.tsx';
import { Starters } from './suggestions.tsx';

export const css = dockCss + inlineCss;

const doubleClickMs = 400;
/** As on a launcher. */
const mostUnread = 9;

export default function AlwaysThere() {
  return useChat().options.openStyle === 'inline' ? <Inline /> : <Dock />;
}

/** The composer stays where it is while the panel opens above it, so the dialog is the dock as a whole. */
function Dock() {
  const { panel, field, root, options, t } = useChat();
  useLayoutEffect(() => {
    (root.host as HTMLElement).style.setProperty('--_pl-dock-width', `${readDockWidth(options)}px`);
  }, []);
  const isOpen = panel.isOpen.value;
  const isSmall = useIsSmall();
  const { ref, ...dialog } = useDialog(isSmall && isOpen);
  useBorrowed(({ reserveDockRoom }) => reserveDockRoom(field.current!.form!), true);
  const settling = useSignal(0);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: no control: it only waits for a second click
    <div
      ref={ref}
      part="dock"
      lang={t('language')}
      class={`dock${isOpen ? ' open' : ''}${settling.value > 0 ? ' settling' : ''}`}
      // The header stands as high as what is under it, and a row goes away with the list.
      onClick={({ target }) => {
        if (!(target as Element).closest('.header, .history li')) return;
        settling.value += 1;
        setTimeout(() => (settling.value -= 1), doubleClickMs);
      }}
      {...(isOpen ? dialog : { role: 'region', 'aria-label': t('chat') })}
    >
      {isOpen ? <PanelView /> : <Closed />}
      <Composer focus={false} />
    </div>
  );
}

/** What the panel says while it is open: why nothing can be written, and what went wrong. */
function Closed() {
  const { panel, conversation, spoken } = useChat();
  const problem = conversation.problem.value;
  const refused = panel.refused.value?.code;
  return (
    <>
      <Suggestions />
      {(problem || refused === 'sign-in-required') && (
        <div class="hint">
          {problem ? (
            <Notice state={problem.situation} cause={problem.cause} again={problem.again} class="outcome" />
          ) : (
            <Notice state="sign-in-required" class="outcome" />
          )}
        </div>
      )}
      <div part="announcer" class="announcer" role="status">
        {spoken.value}
      </div>
    </>
  );
}

function Suggestions() {
  const { panel, conversation, open, rest, t } = useChat();
  const isBegun = conversation.entries.value.length > 0;
  if (!isBegun && !panel.session.value?.agent.starters.length) return null;
  // Under a veil nobody knows whose they are.
  const unread = panel.veil.value > 0 ? 0 : panel.unread.value;
  const goBack = () => {
    rest();
    open();
  };
  return (
    <div class={unread > 0 ? 'suggestions news' : 'suggestions'}>
      {isBegun ? (
        <button type="button" onClick={goBack}>
          {t('back')}
          {unread > 0 && (
            <span part="unread" aria-hidden="true">
              {unread > mostUnread ? `${mostUnread}+` : unread}
            </span>
          )}
        </button>
      ) : (
        <Starters />
      )}
    </div>
  );
}

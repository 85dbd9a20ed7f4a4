/** The composition root of the app: models, transport and view put together in the element that the loader placed. */
import { signal as createSignal, effect } from '@preact/signals';
import { h, render } from 'preact';
import { applyAccent } from './accent.ts';
import { createEvents } from './events.ts';
import { readDockWidth, readTheme } from './options.ts';
import { isNewTab, mayTakeFocus, readPage, setKept, smallQuery, watchStorage, watchTab } from './page.ts';
import type { AppMethods, Seat } from './seat.ts';
import { createConversation } from './state/conversation.ts';
import { createMemory } from './state/memory.ts';
import { createPanel } from './state/panel.ts';
import { sharedKey } from './state/subject.ts';
import { createUnsent } from './state/unsent.ts';
import { en } from './strings/en.ts';
import chatCss from './styles/chat.css?inline';
import { createSessionKeeper } from './transport/session.ts';
import { createTabs, type TabNews } from './transport/tabs.ts';
import { App } from './view/app.tsx';
import { onNextFrame } from './view/frame.ts';

export function createWidget({ element, root, launcher, options, memoryKey, at }: Seat): AppMethods {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(chatCss);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const theme = readTheme(options);
  if (theme) element.dataset.theme = theme;
  element.style.setProperty('--_porchlight-dock-width', `${readDockWidth(options)}px`);
  const isDock = launcher === undefined;
  const mount = document.createElement('div');
  mount.className = options.position === 'bottom-left' ? 'app left' : 'app';
  root.append(mount);
  const leaving = new AbortController();
  const { signal } = leaving;

  /** What had the focus under the veil. */
  let place: HTMLElement | null | undefined;
  const memory = createMemory(memoryKey);
  const unsent = createUnsent(memoryKey);
  const tabs = createTabs((news) => onNews(news));
  const sessions = createSessionKeeper({
    helper: options.helper,
    memory,
    tabs,
    readAt: at,
    hooks: {
      isOpen: () => panel.isOpen.value,
      isShown: () => panel.isOpen.value || isDock,
      publish(session, who) {
        panel.publish(session);
        const left = unsent.take(who);
        if (left !== undefined) panel.giveBack(left);
      },
      refuse(error) {
        panel.refuse(error);
        conversation.refuse(error);
      },
      resume,
      drop(closes, isReset) {
        panel.reset(conversation.hide(panel.isOpen.value && !closes, isReset));
        if (closes && panel.isOpen.value) {
          panel.setOpen(false);
          emit('close', undefined);
        }
      },
      veil(veil) {
        panel.setVeil(veil);
        const draw = () => {
          const focused = root.activeElement as HTMLElement | null;
          const list = focused?.closest<HTMLElement>('.messages');
          mount.classList.toggle('veiled', panel.veil.value > 0);
          // What is hidden cannot have the focus: the list has it until then.
          if (panel.veil.value === 0) {
            if (list === focused) place?.focus({ preventScroll: true });
            place = undefined;
          } else if (list && list !== focused) {
            place = focused;
            list.focus({ preventScroll: true });
          }
        };
        // Off with the first frame that shows what is there now, on at once.
        if (veil) draw();
        else requestAnimationFrame(draw);
        if (sessions.isSettled && !isResuming) conversation.release();
      },
    },
  });
  const panel = createPanel();
  const conversation = createConversation({
    sessions,
    memory,
    unsent,
    tabs,
    onNextFrame,
    readPage,
    isReady: () => sessions.isSettled && !isResuming,
    begin: () => begin(),
    readVeil: () => panel.veil.value,
    onTakenBack: panel.giveBack,
    onSent: (conversationId, wasHeld) => {
      if (!wasHeld) show();
      if (conversationId !== undefined) emit('messageSent', { conversationId });
    },
  });

  /** What this visitor left is being taken up. */
  let isResuming = false;
  let resumes = 0;
  async function resume() {
    resumes += 1;
    const mine = resumes;
    isResuming = true;
    // What cannot be loaded is said where it would stand.
    await conversation.resume().catch(() => {});
    if (mine !== resumes) return;
    isResuming = false;
    if (sessions.isSettled) conversation.release();
  }
  const { on, emit } = createEvents();

  let takesFocus = false;
  const show = () => {
    if (panel.isOpen.value) return;
    panel.setOpen(true);
    memory.change({ open: true });
    emit('open', undefined);
  };
  const open = () => {
    takesFocus = mayTakeFocus();
    if (!panel.isOpen.value) {
      show();
      sessions.open();
    }
    if (isDock && takesFocus)
      root.querySelector<HTMLElement>('[part~="composer"]')?.focus({ preventScroll: true });
  };
  const close = () => {
    // On the page before it may have been open, and this one has hidden it.
    if (memory.read().open) memory.change({ open: undefined });
    if (!panel.isOpen.value) return;
    panel.setOpen(false);
    // Only a focus that is ours is given back: a page that closes the chat keeps its own.
    if (root.activeElement)
      (launcher ?? root.querySelector<HTMLElement>('[part~="composer"]'))?.focus({ preventScroll: true });
    emit('close', undefined);
  };
  const onNews = (news: TabNews) => {
    if (news.kind === 'identity') return sessions.happen({ what: 'told', ...news });
    const shown = conversation.id.value;
    if (news.kind === 'turn' && shown === news.conversationId && conversation.running.value !== news.turnId)
      conversation.refresh();
    if (news.kind === 'deleted' && shown === news.conversationId) conversation.startNew();
  };

  const begin = () => sessions.happen({ what: 'begin' });
  const chat = {
    sessions,
    tabs,
    panel,
    conversation,
    options,
    strings: en,
    begin,
    open,
    close,
    keeps: () => memory.keeps,
  };
  const stopShowing = effect(() => {
    launcher?.setAttribute('aria-expanded', String(panel.isOpen.value));
    launcher?.setAttribute('aria-label', panel.isOpen.value ? en.close : en.open);
  });
  const stopBranding = effect(() => {
    const agent = panel.session.value?.agent;
    if (agent?.accentColor && !options.accentColor) applyAccent(element, agent.accentColor);
    // Light is what an agent has by default, so it does not overrule a visitor who prefers dark.
    if (agent?.theme === 'dark' && !theme) element.dataset.theme = 'dark';
  });
  /** Whoever is there may be somebody, by what the page said. A dock shows a draft though it is closed. */
  const isNamed = createSignal(false);
  const stopKeeping = effect(() => setKept(!isNamed.value || !(isDock || panel.isOpen.value)));
  const focuses = () => {
    const now = takesFocus;
    takesFocus = false;
    return now;
  };
  render(h(App, { chat, focuses }), mount);
  watchTab((what) => sessions.happen({ what }), signal);
  const onStorage = () => {
    const kept = memory.readKept();
    // A second way for news that was lost.
    if (kept) sessions.happen({ what: 'told', who: kept.who, ask: false, at: kept.saidAt });
    else if (memory.keeps) sessions.happen({ what: 'lost' });
  };
  watchStorage(sharedKey, onStorage, signal);
  // What is typed here is no hotkey of the page, the focus here none that it holds elsewhere, no scrolling is its own, and
  // nothing here is text that it lets nobody select or copy.
  for (const type of 'keydown keypress keyup focusin focusout paste copy cut wheel touchmove mousedown pointerdown touchstart selectstart contextmenu'.split(
    ' ',
  ))
    root.addEventListener(type, (event) => event.stopPropagation(), { signal });

  /** Whether the page has said who is there. */
  let isTold = false;
  let isReady = false;
  // A reload or a walk to another page in the middle of a chat: it goes on where it was, without taking the focus.
  // After the page's early calls, which may say who is signed in.
  const goOn = () => {
    const kept = memory.read();
    if (sessions.isBegun || (!kept.open && (!kept.pending || kept.pending.code))) return;
    // One who was signed in would be taken for a guest, and lose the place, until the page says who is there.
    if (!isTold && kept.who !== undefined) return;
    // A link of an answer leads to a page, and a small window has room for one of the two.
    panel.setOpen(kept.open === true && !(isNewTab() && matchMedia(smallQuery).matches));
    begin();
  };
  queueMicrotask(() => {
    isReady = true;
    if (!signal.aborted) goOn();
  });

  return {
    open,
    close,
    toggle: () => (panel.isOpen.value ? close() : open()),
    identify: (userToken, saidAt, isTag) => {
      isTold = true;
      isNamed.value = userToken != null;
      sessions.say(userToken, saidAt, isTag);
      if (isReady) goOn();
    },
    on,
    destroy: () => {
      leaving.abort();
      sessions.close();
      conversation.close();
      tabs.close();
      stopShowing();
      stopBranding();
      stopKeeping();
      setKept(true);
      render(null, mount);
      element.remove();
    },
  };
}

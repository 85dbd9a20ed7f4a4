/** The composition root of the app: models, transport and view put together in the element that the loader placed. */
import { effect } from '@preact/signals';
import { h, render } from 'preact';
import { applyAccent } from './accent.ts';
import type { PorchlightEvents } from './public.ts';
import type { AppMethods, Seat } from './seat.ts';
import { createConversation } from './state/conversation.ts';
import { createMemory } from './state/memory.ts';
import { createPanel } from './state/panel.ts';
import { en } from './strings/en.ts';
import chatCss from './styles/chat.css?inline';
import { createSessionKeeper } from './transport/session.ts';
import { createTabs, type TabNews } from './transport/tabs.ts';
import { App } from './view/app.tsx';
import { onNextFrame } from './view/frame.ts';

export function createWidget({ element, root, launcher, options, memoryKey }: Seat): AppMethods {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(chatCss);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  if (options.theme) element.dataset.theme = options.theme;
  element.style.setProperty('--_porchlight-dock-width', `${options.dockWidth}px`);

  const memory = createMemory(memoryKey);
  const sessions = createSessionKeeper(options.helper, memory, options.userToken, () => {
    changeVisitor();
    begin();
  });
  const tabs = createTabs(memoryKey, (news) => onNews(news));
  const panel = createPanel(sessions, tabs);
  const conversation = createConversation({
    sessions,
    memory,
    tabs,
    onNextFrame,
    readPage: () => ({ url: location.href, title: document.title.slice(0, 300) }),
    onSent: (conversationId) => {
      panel.setOpen(true);
      memory.change({ open: true });
      emit('messageSent', { conversationId });
    },
  });

  const listeners = new Map<string, Set<(detail: never) => void>>();
  const emit = <E extends keyof PorchlightEvents>(event: E, detail: PorchlightEvents[E]) => {
    for (const listener of listeners.get(event) ?? [])
      (listener as (detail: PorchlightEvents[E]) => void)(detail);
  };

  let begun = false;
  let era = 0;
  /** The visitor's first act: from here on the helper is called and something is kept. */
  const begin = () => {
    if (begun) return;
    begun = true;
    const mine = era;
    panel.begin().then(async (isOpen) => {
      // Somebody else has come meanwhile: theirs is another beginning.
      if (mine !== era) return;
      if (!isOpen) begun = false;
      else if (conversation.id.value === undefined) await conversation.resume();
    });
  };
  let byVisitor = false;
  /** Whether the page has said who is there. */
  let isTold = options.userToken !== undefined;
  let isReady = false;
  const open = () => {
    if (panel.isOpen.value) return;
    panel.setOpen(true);
    memory.change({ open: true });
    begin();
    emit('open', undefined);
  };
  const close = () => {
    if (!panel.isOpen.value) return;
    panel.setOpen(false);
    memory.change({ open: undefined });
    // Only a focus that is ours is given back: a page that closes the chat keeps its own.
    if (root.activeElement)
      (launcher ?? root.querySelector<HTMLElement>('[part~="composer"]'))?.focus({ preventScroll: true });
    emit('close', undefined);
  };
  /** Whoever it is now: nothing of before is shown until the helper has said who it is. */
  const changeVisitor = () => {
    era += 1;
    begun = false;
    conversation.hide();
    panel.reset();
  };
  const onNews = (news: TabNews) => {
    const shown = conversation.id.value;
    if (news.kind === 'turn' && shown === news.conversationId && conversation.running.value !== news.turnId)
      conversation.refresh();
    if (news.kind === 'deleted' && shown === news.conversationId) conversation.startNew();
    const subject = panel.session.value?.subject;
    if (news.kind === 'identity' && subject !== undefined && subject !== news.subject) {
      // Closed, not begun anew: this page's token may be the old one, and two tabs must not chase each other.
      panel.setOpen(false);
      sessions.restart();
      changeVisitor();
    }
  };

  const mount = document.createElement('div');
  mount.className = options.position === 'bottom-left' ? 'app left' : 'app';
  root.append(mount);
  const chat = { panel, conversation, options, strings: en, begin, open, close, keeps: () => memory.keeps };
  const stopShowing = effect(() => {
    launcher?.setAttribute('aria-expanded', String(panel.isOpen.value));
    launcher?.setAttribute('aria-label', panel.isOpen.value ? en.close : en.open);
  });
  const stopBranding = effect(() => {
    const agent = panel.session.value?.agent;
    if (agent?.accentColor && !options.accentColor) applyAccent(element, agent.accentColor);
    // Light is what an agent has by default, so it does not overrule a visitor who prefers dark.
    if (agent?.theme === 'dark' && !options.theme) element.dataset.theme = 'dark';
  });
  render(h(App, { chat, focuses: () => byVisitor }), mount);

  // A reload or a walk to another page in the middle of a chat: it goes on where it was, without taking the focus.
  // After the page's early calls, which may say who is signed in.
  const goOn = () => {
    const kept = memory.read();
    if (!kept.open && !kept.pending) return;
    // One who was signed in would be taken for a guest, and lose the place, until the page says who is there.
    if (!isTold && kept.subject !== undefined && kept.session === undefined) return;
    panel.setOpen(kept.open === true);
    begin();
  };
  queueMicrotask(() => {
    isReady = true;
    goOn();
    emit('ready', undefined);
  });

  return {
    open: () => {
      byVisitor = true;
      open();
    },
    close,
    toggle: () => {
      byVisitor = true;
      if (panel.isOpen.value) close();
      else open();
    },
    identify: (userToken) => {
      isTold = true;
      sessions.identify(userToken);
      if (!begun) {
        if (isReady) goOn();
        return;
      }
      changeVisitor();
      begin();
    },
    on: (event, listener) => {
      const all = listeners.get(event) ?? new Set();
      listeners.set(event, all.add(listener as (detail: never) => void));
      return () => void all.delete(listener as (detail: never) => void);
    },
    destroy: () => {
      conversation.close();
      tabs.close();
      stopShowing();
      stopBranding();
      render(null, mount);
      element.remove();
    },
  };
}

/** The composition root of the app: models, transport and view put together in the element that the loader placed. */
import { signal as createSignal, effect } from '@preact/signals';
import { h, render } from 'preact';
import { createCalls } from './calls.ts';
import { swallowSecondClicks } from './double-click.ts';
import type { WidgetCode } from './errors.ts';
import { createOpening } from './opening.ts';
import { readTheme } from './options.ts';
import { isReload, isSought, keepToItself, readPage, setKept, watchStorage, watchTab } from './page.ts';
import { followPanel } from './presence.ts';
import type { PorchlightEvents } from './public.ts';
import { createResuming } from './resuming.ts';
import type { AppMethods, PageMethods, Seat } from './seat.ts';
import { createConversation } from './state/conversation.ts';
import type { Display } from './state/display.ts';
import { unknown } from './state/happening.ts';
import { createMemory } from './state/memory.ts';
import { readMode } from './state/mode.ts';
import { createPanel } from './state/panel.ts';
import { readClaims, sharedKey } from './state/subject.ts';
import { createUnsent } from './state/unsent.ts';
import { states, tellOwner } from './states.ts';
import { en, type Strings } from './strings/en.ts';
import chatCss from './styles/chat.css?inline';
import { createSessionKeeper, type SessionState } from './transport/session.ts';
import { createTabs, type TabNews } from './transport/tabs.ts';
import { App } from './view/app.tsx';
import { isSmall } from './view/dialog.ts';
import { drawOnFrame } from './view/frame.ts';
import { createVeil } from './view/veil.ts';

export function createWidget(seat: Seat): AppMethods {
  const { root, options, memoryKey, at } = seat;
  const element = root.host as HTMLElement;
  const launcher = seat.launcher ?? document.createElement('button');
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(chatCss);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const theme = readTheme(options);
  if (theme) element.dataset.theme = theme;
  const mount = document.createElement('div');
  mount.className = options.position === 'bottom-left' ? 'app left' : 'app';
  root.append(mount);
  const leaving = new AbortController();
  const { signal } = leaving;

  const memory = createMemory(memoryKey);
  const unsent = createUnsent(memoryKey, isReload);
  const tabs = createTabs((news) => onNews(news));
  const resuming = createResuming({
    memory,
    conversation: () => conversation,
    panel: () => panel,
    isSettled: () => sessions.isSettled,
  });
  const sessions = createSessionKeeper({
    helper: options.helper,
    memory,
    tabs,
    readAt: at,
    hooks: {
      isOpen: () => panel.isOpen.value,
      isShown: () => panel.isOpen.value || panel.isDock.value,
      publish(session, who) {
        if (session.subject !== panel.session.value?.subject)
          emit('identityChanged', { kind: session.visitor.kind });
        if (session.guestReason === 'token-refused') tellError('sso-token-invalid');
        if (session.reason) console.error('Porchlight: the helper takes no sign-ins');
        const [, bot = options.botId] = String(readClaims(session.session).aud).split(' ');
        if (bot !== options.botId) console.error(`Porchlight: the helper has another data-bot-id, ${bot}`);
        publish(session);
        panel.mode.value ??= memory.read().mode;
        const left = unsent.take(who);
        if (left !== undefined) panel.giveBack(left);
      },
      refuse(error, isPages) {
        tellError(error.code, isPages && 'identify() got a function that failed');
        panel.refuse(error);
        conversation.refuse(error);
      },
      resume: () => void resuming.resume(),
      drop(todo) {
        memory.leave();
        conversation.hide(panel.isOpen.value && !todo.closes, todo);
        panel.reset(todo.isReset);
        if (todo.closes && panel.isOpen.value) {
          panel.setOpen(false);
          emit('close', undefined);
        }
      },
      veil(veil) {
        panel.veil.value = veil;
        drawVeil();
        unsent.name(memory.read().who, sessions.typist);
        // What was out of reach meanwhile is there again.
        if (sessions.isSettled && panel.session.value) panel.publish(panel.session.value);
        resuming.takeUp();
        conversation.release();
      },
    },
  });
  const strings = createSignal<Strings>(en);
  const asItIs: Display = (answer) => answer;
  const display = createSignal(asItIs);
  const panel = createPanel(/^(dock|inline)$/.test(options.openStyle ?? ''), memory.read().wide);
  const drawVeil = createVeil(root, mount, panel.veil);
  const conversation = createConversation({
    sessions,
    memory,
    unsent,
    tabs,
    onNextFrame: drawOnFrame,
    readPage,
    readSaid: () => calls.site?.toPage(),
    readMode: () => readMode(panel),
    isReady: () => isReady() && !calls.late && !calls.site?.isWaiting,
    begin: () => begin(),
    readVeil: () => panel.veil.value,
    onTakenBack: panel.giveBack,
    onSent: (conversationId, turnId, wasHeld) => {
      if (!wasHeld) show();
      if (conversationId !== undefined) emit('messageSent', { conversationId, turnId });
    },
    onEnded: (conversationId, turnId, answer) => {
      if (answer?.status === 'failed')
        emit('answerFailed', { conversationId, turnId, code: answer.code ?? 'internal' });
      if (answer?.status === 'completed') emit('answerCompleted', { conversationId, turnId });
      // A decision that is waited for and an answer that failed are news too.
      if (!panel.isOpen.value && answer && answer.status !== 'stopped') panel.unread.value += 1;
    },
  });

  const emit = <E extends keyof PorchlightEvents>(event: E, detail: PorchlightEvents[E]) =>
    // Not in the middle of what is being done: a listener may call anything.
    queueMicrotask(() => element.dispatchEvent(new CustomEvent(`porchlight:${event}`, { detail })));
  const tellError = (code: WidgetCode, hint?: string | false) =>
    emit('error', { code, hint: hint || (states[code].owner ?? strings.value[code]) });

  const onOpen = () => sessions.open();
  const { show, open, close, focuses } = createOpening({ panel, memory, root, launcher, emit, onOpen });
  const onNews = (news: TabNews) => {
    if (news.kind === 'identity') return sessions.happen({ what: 'told', ...news });
    const shown = conversation.id.value;
    if (news.kind === 'turn' && shown === news.conversationId && conversation.running.value !== news.turnId)
      conversation.refresh();
    if (news.kind === 'deleted' && shown === news.conversationId) conversation.startNew();
  };

  const begin = () => sessions.happen({ what: 'begin' });
  const shared = { sessions, tabs, panel, conversation, memory };
  const chat = { ...shared, options, root, strings, display, begin, open, close };
  const isReady = () => sessions.isSettled && !resuming.isBusy;
  const publish = (session: SessionState) =>
    panel.publish({ ...session, agent: calls.site?.meet(session) ?? session.agent });
  const calls = createCalls(
    { ...chat, element, strings, isReady },
    () => panel.session.value && publish(panel.session.value),
  );
  const stopShowing = followPanel(seat, launcher, panel, mount, theme, strings, (count) =>
    emit('unread', { count }),
  );
  /** Whoever is there may be somebody, by what the page said. A dock shows a draft though it is closed. */
  const isNamed = createSignal(false);
  const stopKeeping = effect(() => setKept(!isNamed.value || !(panel.isDock.value || panel.isOpen.value)));
  const draw = () => {
    if (!signal.aborted) render(h(App, { chat, focuses }), mount);
  };
  if (calls.settled) void calls.settled.then(draw);
  else draw();
  const onTab = (what: 'left' | 'seen') => {
    // Where nothing is kept no other page could say here that a customer has gone.
    if (!memory.keeps && what === 'seen' && memory.readKept()?.who) memory.claim(unknown, Date.now(), false);
    sessions.happen({ what });
  };
  watchTab(onTab, resuming.onBack, signal);
  const onStorage = () => {
    const kept = memory.readKept();
    // A second way for news that was lost.
    if (kept) sessions.happen({ what: 'told', who: kept.who, ask: false, at: kept.saidAt });
    else if (memory.keeps) sessions.happen({ what: 'lost' });
  };
  watchStorage(sharedKey, onStorage, signal);
  keepToItself(root, signal);
  swallowSecondClicks(root, { signal });

  /** Whether the page has said who is there. */
  let isTold = false;
  let hasStarted = false;
  // A reload or a walk to another page in the middle of a chat: it goes on where it was, without taking the focus.
  // After the page's early calls, which may say who is signed in.
  const goOn = () => {
    const kept = memory.read();
    if (sessions.isBegun || (!kept.open && (!kept.pending || kept.pending.code))) return;
    // One who was signed in would be taken for a guest, and lose the place, until the page says who is there.
    if (!isTold && kept.who !== undefined) return;
    // A small window has room for the page or the chat: for the page where that is looked for.
    const isForPage = (isSought() || !memory.isOpenHere) && isSmall.value;
    panel.setOpen(kept.open === true && !isForPage);
    begin();
  };
  queueMicrotask(() => {
    hasStarted = true;
    if (!signal.aborted) goOn();
  });

  const core = {
    open,
    close,
    toggle: () => (panel.isOpen.value ? close() : open()),
    identify: (userToken, saidAt, isTag) => {
      isTold = true;
      // As a guest the visitor has asked here, and whoever is there now may never open the chat.
      if (memory.read().session && !sessions.isBegun)
        void import('./noting.ts').then(
          (m) => m.noteFirst(userToken, isTag),
          () => {},
        );
      isNamed.value = userToken != null;
      sessions.say(userToken, saidAt, isTag);
      if (hasStarted) goOn();
    },
    onBeforeDisplay: (change) => {
      // Until it is there no answer is shown, rather than one as it is.
      display.value = () => undefined;
      import('./rare.ts').then(
        ({ createDisplay }) => {
          display.value = createDisplay(change);
        },
        () => {
          display.value = asItIs;
          tellOwner('part-failed', options.helper);
        },
      );
    },
    destroy: () => {
      leaving.abort();
      sessions.close();
      conversation.close();
      tabs.close();
      stopShowing();
      stopKeeping();
      setKept(true);
      render(null, mount);
    },
  } satisfies Partial<AppMethods>;
  // What else a page asks for is loaded with the first of it.
  return new Proxy(core as AppMethods, {
    get: (known, name) => known[name as keyof AppMethods] ?? calls.toCall(name as keyof PageMethods),
  });
}

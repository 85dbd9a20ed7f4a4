/** A chat on the page before it is opened: places the element, keeps early calls, and loads the app at the first intent. */
import { applyAccent } from './accent.ts';
import { createLauncher } from './launcher.ts';
import type { WidgetOptions } from './options.ts';
import type { PorchlightApi } from './public.ts';
import type { AppMethods, AppModule, Seat } from './seat.ts';
import type { Stored } from './state/memory.ts';
import launcherCss from './styles/launcher.css?inline';

/** Replaced by the build. */
declare const __APP_FILE__: string;
declare const __SELDOM_FILE__: string;

type NoteModule = typeof import('./seldom.ts');
/** `tag` is for the script alone, when a page that was swapped in runs it again, and for a box. */
export type ChatApi = PorchlightApi & {
  /** @param at when it was said, in ms since 1970; default now */
  tag(script: Pick<HTMLScriptElement, 'dataset' | 'remove'>, at?: number): void;
};

/** When a token that is written into a page was heard first: put back at Back or Forward by a script, it says nothing new. */
export const heard: Record<string, number> = {};

const methods =
  'close setLanguage setContext prefill setOpenStyle send open openConversation newConversation toggle onBeforeDisplay'.split(
    ' ',
  ) as 'open'[];
/** What concerns a conversation is meant for the moment. */
const freshMs = 30_000;

/**
 * Puts a chat on the page: its button, or, for one who was in the middle of a chat and for a dock, the chat itself.
 *
 * @param src where the widget's files are, absolute: the page's address and its <base> may change
 * @param onGone the page has taken it off
 * @param box the root of an element of the page, which says itself when it comes and goes
 */
export function startChat(
  options: WidgetOptions,
  src: string,
  onGone: () => void,
  box?: ShadowRoot,
): ChatApi {
  // A page’s own bundle has none of it: each bundler is told so in words of its own.
  const load = (file: string) =>
    import(/* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ new URL(file, src).href);
  const seldom = <N extends keyof NoteModule>(name: N, ...values: Parameters<NoteModule[N]>) =>
    load(__SELDOM_FILE__).then(
      (module) => module[name](...values),
      () => {},
    );
  const root = box ?? document.createElement('porchlight-chat').attachShadow({ mode: 'open' });
  const element = root.host as HTMLElement;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(launcherCss);
  root.adoptedStyleSheets = [sheet];
  applyAccent(element, options.accentColor);
  const isDock = options.openStyle === 'dock';
  const launcher = createLauncher(options.position);
  launcher.onclick = () => call('toggle');
  // A page that cancels it takes the click along.
  element.ontouchend = (event) => event.stopPropagation();
  if (!isDock && options.launcher !== 'hidden') root.append(launcher);
  const line = document.createElement('p');
  line.part = 'error';
  line.role = 'alert';
  line.textContent = 'Chat did not load. Please reload.';
  const seat: Seat = {
    root,
    launcher,
    options,
    memoryKey: `${options.helper} ${options.botId}`,
    at: Date.now(),
  };

  const queue: (() => void)[] = [];
  /** The visitor's wish that waits for the app: one is enough. */
  let intent: (() => void) | undefined;
  let app: AppMethods | undefined;
  let loading = false;
  let gone = false;
  const loadApp = async () => {
    // Nobody is on the page yet.
    if (loading || document.prerendering) return;
    loading = true;
    // An old library's `remove` throws where there is nothing to remove from.
    line.parentNode?.removeChild(line);
    launcher.ariaBusy = 'true';
    try {
      const module: AppModule = await load(__APP_FILE__);
      if (gone) return;
      app = module.createWidget(seat);
      for (const run of queue) run();
      intent?.();
    } catch (error) {
      // The next click tries again.
      loading = false;
      root.append(line);
      console.error(`Porchlight: ${options.helper} gave no app`, error);
    } finally {
      intent = undefined;
      launcher.ariaBusy = null;
    }
  };
  const call = (method: keyof AppMethods, ...values: unknown[]) => {
    const since = Date.now();
    const run = () => {
      if (!/^(openC|[np]|sen)/.test(method) || Date.now() - since < freshMs)
        ((app as AppMethods)[method] as (...all: unknown[]) => void)(...values);
    };
    const isWish = /^(open$|t)/.test(method);
    if (isWish) element.hidden = false;
    if (app) return run();
    if (isWish) intent = run;
    else queue.push(run);
    // All else waits for the visitor's wish, and closing ends that.
    if (/^(setO|sen|op|[pnt])/.test(method)) loadApp();
    else if (method === 'close') intent = undefined;
  };

  const readKept = (): Stored => {
    try {
      return JSON.parse(localStorage.porchlight) ?? {};
    } catch {
      // Blocked, or nothing kept.
      return {};
    }
  };
  let { tag: saysByTag } = readKept();
  const say = (userToken?: unknown, isTag?: boolean, at = Date.now()) => {
    saysByTag = isTag;
    call('identify', userToken, at, isTag);
    // Tabs where the chat is in use learn who is there now; where it was never used there is nothing to tell.
    if (!app && readKept().said) seldom('note', userToken, at, isTag);
  };

  const api = {
    identify: say,
    logout: () => say(),
    tag: (tag, at = Date.now()) => {
      const { userToken, turboTrack } = tag.dataset;
      // biome-ignore lint/suspicious/noAssignInExpressions: the loader is to be short
      if (userToken || saysByTag) say(userToken, true, userToken ? (heard[userToken] ??= at) : at);
      // Gone before the next page comes: an equal one there would not be run, and an old one would be at Back. Without
      // one that it tracks, Turbo would load each page whole.
      if (!turboTrack) addEventListener('turbo:visit', () => tag.remove(), { once: true });
    },
    on: (event, listener) => {
      // Read as the listener's options, it ends it.
      const undo = new AbortController();
      const hear = ({ detail }: CustomEventInit) => listener(detail);
      // It has been, for whoever asks.
      if (event === 'ready') queueMicrotask(listener as () => void);
      else element.addEventListener(`porchlight:${event}`, hear, undo);
      return () => undo.abort();
    },
    addMessage: (...message) => {
      // Its place among the others, whose file may tell of them in any order.
      const card = document.createElement('div');
      root.append(card);
      seldom('addMessage', seat, api, card, ...message);
      return { dismiss: () => card.remove() };
    },
    hide: () => {
      call('close');
      element.hidden = true;
    },
    show() {
      element.hidden = false;
    },
    destroy: () => {
      gone = true;
      observer.disconnect();
      app?.destroy();
      // A box is its page's, which may put it back.
      box ?? element.remove();
      onGone();
    },
    push: (...calls) => {
      for (const one of calls)
        try {
          const [method, ...values] = one;
          (api[method as keyof PorchlightApi] as (...all: unknown[]) => void)(...values);
        } catch (error) {
          console.error('Porchlight:', one, error);
        }
    },
  } as ChatApi;
  for (const method of methods) api[method] = (...values) => call(method, ...values);

  // Beside the body: its transforms do not move the element, and a page that swaps it does not take the chat along.
  const place = () => {
    const { documentElement } = document;
    if (!element.isConnected) documentElement?.append(element);
    // The root itself may be another by now, or not there yet.
    for (const node of [document, documentElement]) if (node) observer.observe(node, { childList: true });
  };
  const observer = new MutationObserver(place);
  box ?? place();
  /** Once somebody is on the page. */
  const start = () => {
    const chat = readKept().chats?.[seat.memoryKey];
    // One who was in the middle of a chat goes on with it; the dock is there to be written into.
    if (isDock || intent || chat?.open || (chat?.pending && !chat.pending.code)) loadApp();
    else if (!chat && options.autoOpen) seldom('autoOpen', seat, api);
  };
  // One that is destroyed is not held by the page.
  if (document.prerendering) document.addEventListener('prerenderingchange', start);
  // After what the page says at once: who is there is noted before the app listens.
  queueMicrotask(() => {
    element.dispatchEvent(new CustomEvent('porchlight:ready'));
    start();
  });
  return Object.freeze(api);
}

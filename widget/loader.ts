/** The script that a page embeds: places the element, keeps early calls, and loads the app at the first intent. */
import { applyAccent } from './accent.ts';
import { createLauncher } from './launcher.ts';
import { readOptions } from './options.ts';
import type { PorchlightApi } from './public.ts';
import type { AppMethods, AppModule, Seat } from './seat.ts';
import launcherCss from './styles/launcher.css?inline';

/** Replaced by the build. */
declare const __APP_FILE__: string;

type Queued = { method: keyof AppMethods; values: unknown[]; undo?: unknown; undone?: boolean };
type Scope = { Porchlight?: PorchlightApi | [method: string, ...values: unknown[]][] };

const tagName = 'porchlight-chat';
/** Listening and signing in are the page's doing: they wait for the visitor's. */
const intents: readonly string[] = ['open', 'toggle'];

function start(script: HTMLScriptElement): void {
  const options = readOptions(script);
  const element = document.createElement(tagName);
  const root = element.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(launcherCss);
  root.adoptedStyleSheets = [sheet];
  if (options.accentColor) applyAccent(element, options.accentColor);
  const isDock = options.openStyle === 'dock';
  const launcher = isDock ? undefined : createLauncher(options.position === 'bottom-left');
  launcher?.addEventListener('click', () => call('toggle'));
  if (launcher) root.append(launcher);
  const memoryKey = `porchlight ${options.helper} ${options.botId}`;
  const seat: Seat = { element, root, launcher, options, memoryKey };

  const queue: Queued[] = [];
  let app: AppMethods | undefined;
  let loading = false;
  const load = () => {
    if (loading) return;
    loading = true;
    launcher?.setAttribute('aria-busy', 'true');
    import(/* @vite-ignore */ new URL(__APP_FILE__, script.src).href)
      .then((module: AppModule) => {
        app = module.createWidget(seat);
        for (const queued of queue.splice(0)) run(app, queued);
      })
      .catch((error: unknown) => {
        // The next click tries again.
        loading = false;
        queue.splice(0, queue.length, ...queue.filter(({ method }) => !intents.includes(method)));
        console.warn('Porchlight: the chat could not be loaded.', error);
      })
      .finally(() => launcher?.removeAttribute('aria-busy'));
  };
  const call = (method: keyof AppMethods, ...values: unknown[]) => {
    const queued: Queued = { method, values };
    if (app) run(app, queued);
    else {
      queue.push(queued);
      if (intents.includes(method)) load();
    }
    return () => {
      queued.undone = true;
      if (typeof queued.undo === 'function') queued.undo();
    };
  };

  const api: PorchlightApi = {
    open: () => void call('open'),
    close: () => void call('close'),
    toggle: () => void call('toggle'),
    identify: (userToken) => void call('identify', userToken),
    on: (event, listener) => call('on', event, listener),
    hide: () => {
      call('close');
      element.hidden = true;
    },
    show: () => {
      element.hidden = false;
    },
    destroy: () => {
      if (app) call('destroy');
      element.remove();
      delete (window as Scope).Porchlight;
    },
    push: (...calls) => {
      for (const [method, ...values] of calls) {
        const known = api[method as keyof PorchlightApi] as ((...all: unknown[]) => unknown) | undefined;
        if (known) known(...values);
        else console.warn(`Porchlight: there is no method "${method}".`);
      }
    },
  };

  const place = () => {
    document.body.append(element);
    // One who was in the middle of a chat goes on with it; the dock is there to be written into.
    if (isDock || isInUse(memoryKey)) load();
  };
  const early = (window as Scope).Porchlight;
  (window as Scope).Porchlight = Object.freeze(api);
  if (Array.isArray(early)) api.push(...early);
  if (document.body) place();
  else addEventListener('DOMContentLoaded', place, { once: true });
}

function run(app: AppMethods, queued: Queued): void {
  if (queued.undone) return;
  queued.undo = (app[queued.method] as (...values: unknown[]) => unknown)(...queued.values);
}

function isInUse(memoryKey: string): boolean {
  try {
    const kept = JSON.parse(localStorage.getItem(memoryKey) ?? '{}') as { open?: boolean; pending?: unknown };
    return kept.open === true || kept.pending !== undefined;
  } catch {
    return false;
  }
}

if (document.querySelector(tagName)) console.warn('Porchlight: the script is on this page twice.');
else start(document.currentScript as HTMLScriptElement);

/** What a page has the chat do beside opening and closing it, and what its tag says in the agent's place. Loaded when one does. */
import type { Signal } from '@preact/signals';
import type { AgentProfile } from '../server-helper/protocol/wire.ts';
import { createLanguage } from './language.ts';
import type { WidgetOptions } from './options.ts';
import type { PageMethods } from './seat.ts';
import type { Panel } from './state/panel.ts';
import { tellOwner } from './states.ts';
import type { Strings } from './strings/en.ts';

/** What of it the app asks for, once it is there. */
export type Site = {
  toProfile(agent: AgentProfile): AgentProfile;
  /** Resolves once the chat speaks the language that it should, or cannot. */
  readonly spoken: Promise<void>;
};

export type SiteParts = {
  element: HTMLElement;
  root: ShadowRoot;
  options: WidgetOptions;
  panel: Panel;
  strings: Signal<Strings>;
};

/** A page's calls do not wait longer for a language. */
const patienceMs = 1_500;
/** The composer of the other style is drawn by then. */
const focusMs = 1_000;

export function createSite(parts: SiteParts): Site & PageMethods {
  const { element, root, options, panel, strings } = parts;
  const { speak, knows } = createLanguage(element, strings);
  const sayMissing = () => tellOwner('part-failed', options.helper);
  const setLanguage = (tag: string) => speak(String(tag)).catch(sayMissing);
  const { language } = options;
  if (language && !knows(language)) console.error(`Porchlight: data-language ${language} is not spoken here`);
  const find = (which: string) => root.querySelector<HTMLElement>(which);
  const findComposer = () => find('[part~="composer"]');
  /** Which style was asked for last. */
  let style: string | undefined;

  return {
    spoken: Promise.race([
      setLanguage(language ?? document.documentElement.lang),
      new Promise<void>((resolve) => setTimeout(resolve, patienceMs)),
    ]),
    toProfile(agent) {
      const { title = agent.name, placeholder = agent.placeholder } = options;
      const toList = (name: 'greetings' | 'starters') => {
        const list = readJson(name, options);
        return Array.isArray(list) ? list.map(String) : agent[name];
      };
      const words = { greetings: toList('greetings'), starters: toList('starters') };
      return { ...agent, name: title, placeholder, ...words };
    },
    setLanguage,
    setOpenStyle(wanted) {
      style = wanted;
      // What it needs is there first: the conversation does not go out of sight for a file that is late.
      const prepare: Promise<unknown> = wanted === 'dock' ? import('./view/dock.tsx') : Promise.resolve();
      prepare.then(() => {
        if (style !== wanted) return;
        const before = findComposer();
        const isHere = root.activeElement !== null;
        panel.isDock.value = wanted === 'dock';
        if (isHere) focusNext(before, performance.now() + focusMs);
      }, sayMissing);
    },
    // For loaders of before, which did not listen to the element themselves.
    on: (event, listener) => {
      const undo = new AbortController();
      const hear = ({ detail }: CustomEventInit) => listener(detail);
      element.addEventListener(`porchlight:${event}`, hear, undo);
      return () => undo.abort();
    },
  };

  /** What had the focus is drawn anew: the visitor goes on where the composer is now, or what opens it. */
  function focusNext(before: HTMLElement | null, until: number): void {
    const now = panel.isDock.value || panel.isOpen.value ? findComposer() : find('.launcher');
    if (now && now !== before) now.focus({ preventScroll: true });
    else if (performance.now() < until) requestAnimationFrame(() => focusNext(before, until));
  }
}

function readJson(name: 'greetings' | 'starters', options: WidgetOptions): unknown {
  try {
    return JSON.parse(options[name] ?? 'null');
  } catch {
    console.error(`Porchlight: data-${name} is not JSON`);
    return undefined;
  }
}

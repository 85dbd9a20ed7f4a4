/** What a page has the chat do beside opening and closing it, and what its tag says in the agent's place. Loaded when one does. */
import type { Signal } from '@preact/signals';
import type { AgentProfile, TurnRequest } from '../server-helper/protocol/wire.ts';
import { readJson, readMetadata, readWords } from './attributes.ts';
import { createLanguage } from './language.ts';
import type { WidgetOptions } from './options.ts';
import { readPage } from './page.ts';
import type { PageMethods } from './seat.ts';
import type { Conversation } from './state/conversation.ts';
import type { Memory } from './state/memory.ts';
import type { Panel } from './state/panel.ts';
import { tellOwner } from './states.ts';
import type { Strings } from './strings/en.ts';
import type { SessionState } from './transport/session.ts';

/** What of it the app asks for, once it is there. */
export type Site = {
  /** Somebody is there: what the page has said is of this one. @returns the agent, with what the tag says in its place */
  meet(session: SessionState): AgentProfile;
  /** What the page has had done comes before what is asked. */
  readonly isWaiting: boolean;
  /** The page, and what it says of itself; undefined where it says nothing. */
  toPage(): TurnRequest['page'];
  /** Resolves once the chat speaks the language that it should, or cannot. */
  readonly spoken: Promise<void>;
};

export type SiteParts = {
  element: HTMLElement;
  root: ShadowRoot;
  options: WidgetOptions;
  panel: Panel;
  conversation: Conversation;
  memory: Memory;
  strings: Signal<Strings>;
  open(): void;
  begin(): void;
  /** It is known whose conversation is shown. */
  isReady(): boolean;
};

/** A page's calls do not wait longer for a language. */
const patienceMs = 1_500;
/** The composer of the other style is drawn by then. */
const focusMs = 1_000;
/** By then it is known who is there, or this visitor has gone. */
const knownMs = 30_000;
const lookMs = 50;
/** With the address and title beside it, no more than the helper takes of a page. */
const maxContextBytes = 3_000;
const maxBeside = { url: 600, title: 60 };
/** As the helper takes: its limits imported would weigh on the app. */
export const maxQuestionChars = 32_000;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function createSite(parts: SiteParts): Site & PageMethods {
  const { element, root, options, panel, conversation, memory, strings, open, begin } = parts;
  const { speak, knows } = createLanguage(element, strings, readWords(options));
  const sayMissing = () => tellOwner('part-failed', options.helper);
  const setLanguage = (tag: string) => speak(String(tag)).catch(sayMissing);
  const { language } = options;
  if (language && !knows(language)) console.error(`Porchlight: data-language ${language} is not spoken here`);
  const find = (which: string) => root.querySelector<HTMLElement>(which);
  const findComposer = () => find('[part~="composer"]');
  /** Of the visitor who was there, or else of the first one who comes, unless another was named meanwhile. */
  let context: { said: Record<string, unknown>; of: string | undefined; visit: number } | undefined;
  /** What the page has had done, as soon as it is known who is there. */
  let waiting: (() => void)[] = [];
  const setContext = (said: unknown) => {
    const text = toJson(said);
    if (said == null) context = undefined;
    else if (!text?.startsWith('{') || new TextEncoder().encode(text).length > maxContextBytes)
      console.error(`Porchlight: setContext takes an object of at most ${maxContextBytes} bytes of JSON`);
    else context = { said: JSON.parse(text), of: panel.session.value?.subject, visit: panel.visit.value };
  };
  let tagSaid = options.metadata ?? '';
  setContext(readJson('metadata', options));
  let fromTag = context;
  const isTags = readMetadata(options) === tagSaid;
  /** Turbo has put another page's tag in the place of the one that began the chat: a call of the page's own stays. */
  const hearTag = () => {
    const metadata = readMetadata(options) ?? tagSaid;
    if (!isTags || metadata === tagSaid || context !== fromTag) return;
    tagSaid = metadata;
    setContext(readJson('metadata', { ...options, metadata }));
    fromTag = context;
  };
  /** Which style was asked for last. */
  let style: string | undefined;

  return {
    get isWaiting() {
      return waiting.length > 0;
    },
    spoken: Promise.race([
      setLanguage(language ?? document.documentElement.lang),
      new Promise<void>((resolve) => setTimeout(resolve, patienceMs)),
    ]),
    meet({ agent, subject }) {
      if (context) context.of ??= subject;
      const toList = (name: 'greetings' | 'starters') => {
        const list = readJson(name, options);
        if (Array.isArray(list)) return list.map(String);
        if (list != null) console.error(`Porchlight: data-${name} is a JSON array of strings`);
        return agent[name];
      };
      const words = { greetings: toList('greetings'), starters: toList('starters') };
      return { ...agent, name: options.title || agent.name, ...words };
    },
    setLanguage,
    setContext,
    toPage() {
      hearTag();
      if (context?.of !== panel.session.value?.subject || context?.visit !== panel.visit.value)
        context = undefined;
      const page = readPage();
      if (!context || !page) return undefined;
      const { url, title = '' } = page;
      return {
        url: url.slice(0, maxBeside.url),
        title: title.slice(0, maxBeside.title),
        context: context.said,
      };
    },
    setOpenStyle(wanted) {
      if (options.openStyle === 'inline') return console.error('Porchlight: a box of the page stays one');
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
    send(text) {
      const question = typeof text === 'string' ? text.trim() : '';
      if (question === '' || question.length > maxQuestionChars)
        return console.error(`Porchlight: send takes 1 to ${maxQuestionChars} characters`);
      element.hidden = false;
      const isPaused = conversation.entries.value.at(-1)?.answer.value?.pause !== undefined;
      // In the way of another: it waits in the composer.
      if (conversation.running.value !== undefined || isPaused) return prefill(question);
      panel.show('conversation');
      conversation.send(question);
    },
    prefill: (text) =>
      typeof text === 'string' ? prefill(text) : console.error('Porchlight: prefill takes a string'),
    newConversation() {
      // Nothing to leave, and nobody is asked who is there.
      if (memory.read().conversationId !== undefined) whenKnown(() => conversation.startNew());
    },
    openConversation(conversationId) {
      if (!uuid.test(conversationId))
        return console.error('Porchlight: openConversation takes the id of a conversation');
      element.hidden = false;
      open();
      whenKnown(() => conversation.id.value === conversationId || void conversation.load(conversationId));
    },
    // For loaders of before, which did not listen to the element themselves.
    on: (event, listener) => {
      const undo = new AbortController();
      const hear = ({ detail }: CustomEventInit) => listener(detail);
      element.addEventListener(`porchlight:${event}`, hear, undo);
      return () => undo.abort();
    },
  };

  /** Once it is known who is there, unless that is another than was meant; what is asked meanwhile comes after it. */
  function whenKnown(act: () => void): void {
    waiting.push(act);
    if (waiting.length > 1) return;
    const visit = panel.visit.value;
    const until = performance.now() + knownMs;
    const end = (acts: readonly (() => void)[]) => {
      waiting = [];
      if (acts.length > 0) panel.show('conversation');
      for (const one of acts) one();
      conversation.release();
    };
    begin();
    const look = () => {
      if (panel.visit.value !== visit) end([]);
      else if (parts.isReady() && panel.session.value) end(waiting);
      else if (performance.now() < until) setTimeout(look, lookMs);
      else end([]);
    };
    look();
  }

  function prefill(text: string, until = performance.now() + focusMs): void {
    element.hidden = false;
    open();
    panel.show('conversation');
    const field = root.querySelector<HTMLTextAreaElement>('textarea[part~="composer"]');
    if (!field) {
      if (performance.now() < until) requestAnimationFrame(() => prefill(text, until));
      return;
    }
    if (field.value !== text) field.value = [field.value, text].filter(Boolean).join('\n');
    field.dispatchEvent(new InputEvent('input'));
  }

  /** What had the focus is drawn anew: the visitor goes on where the composer is now, or what opens it. */
  function focusNext(before: HTMLElement | null, until: number): void {
    const now = panel.isDock.value || panel.isOpen.value ? findComposer() : find('.launcher');
    if (now && now !== before) now.focus({ preventScroll: true });
    else if (performance.now() < until) requestAnimationFrame(() => focusNext(before, until));
  }
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

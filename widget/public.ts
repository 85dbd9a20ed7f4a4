/** The promise to page authors: tag attributes, methods, events, parts and CSS properties. Types only. */

import type { Strings } from './strings/en.ts';

/** Attributes of the script tag. */
export type TagAttributes = {
  'data-bot-id': string;
  /** Base URL of the helper. Default: where the script came from, without `/widget/…`. */
  'data-helper'?: string;
  /** Default `normal`; anything unknown is `normal` too. */
  'data-open-style'?: 'normal' | 'dock';
  /** Default `bottom-right`. */
  'data-position'?: 'bottom-right' | 'bottom-left';
  /** CSS pixels, 320 to 1200. Default 720. */
  'data-dock-width'?: string;
  /** SSO token of the signed-in visitor. */
  'data-user-token'?: string;
  /** CSS colour. Default: the agent's own. */
  'data-accent-color'?: string;
  /** Default: the visitor's preference. */
  'data-theme'?: 'light' | 'dark';
  /** `hidden`: no button, since the page has one of its own. */
  'data-launcher'?: 'hidden';
  /** Seconds, 1 to 60, after which it opens for a visitor who has not used it before; never on a phone. */
  'data-auto-open'?: string;
  /** BCP 47. Default: the page's own `lang`. */
  'data-language'?: string;
  /** In place of the agent's name. */
  'data-title'?: string;
  /** In the empty composer. */
  'data-placeholder'?: string;
  /** JSON arrays of strings, in place of the agent's own. */
  'data-greetings'?: string;
  'data-starters'?: string;
  /** JSON object: what the page knows and the agent may use, as by `setContext`. */
  'data-metadata'?: string;
  /** JSON object: the site's own words for the chat's, by the names in `Words`. `{name}` and its like are filled in. */
  'data-words'?: string;
};

/** What the chat says, by the names of its sentences: `{ compose: 'Ask about our tents' }`. */
export type Words = Partial<Strings>;

/** A token, or a function that fetches a fresh one from the site's own backend. */
export type UserToken = string | (() => string | null | undefined | Promise<string | null | undefined>);

export type PorchlightEvents = {
  /** The widget is on the page, and its methods work. */
  ready: undefined;
  open: undefined;
  close: undefined;
  /** A question was sent. Its text is not told. */
  messageSent: { conversationId: string; turnId: string };
  answerCompleted: { conversationId: string; turnId: string };
  answerFailed: { conversationId: string; turnId: string; code: string };
  /** How many answers came while the chat was closed; 0 once it is opened. */
  unread: { count: number };
  /** Somebody is there, or another than before. */
  identityChanged: { kind: 'anonymous' | 'identified' };
  /** The chat cannot be used as the page means it to be. */
  error: { code: string; hint: string };
};

/**
 * What to show of an answer: another text (markdown), or null for nothing. Without a return it is shown as it is.
 *
 * @param message as far as it has come; called anew for each piece, and once `isWhole`
 */
export type BeforeDisplay = (message: {
  turnId: string;
  text: string;
  isWhole: boolean;
}) => string | null | undefined;

export type MessageOptions = {
  /** In place of opening the chat. */
  onClick?: () => void;
  /** Default true. */
  dismissible?: boolean;
};

/** `window.Porchlight`. Each event is a CustomEvent `porchlight:…` of the element too. Before the script has run, push calls into an array: `(Porchlight ||= []).push(['open'])`. */
export type PorchlightApi = {
  open(): void;
  close(): void;
  toggle(): void;
  /** Hides the whole widget; the panel closes. */
  hide(): void;
  show(): void;
  /**
   * Who is signed in now. Somebody else than before: what the last one said is gone first, in every tab of the site.
   * The same visitor: nothing changes. undefined, null and '' are nobody, and so a sign-out.
   */
  identify(userToken: UserToken | null | undefined): void;
  /** The same as `identify(undefined)`. */
  logout(): void;
  /** @param tag BCP 47: de, es, fr, ar and their kinds; any other is English */
  setLanguage(tag: string): void;
  /**
   * What the page knows and the agent may use, as data: sent with each question of the visitor of the moment. Once
   * `identityChanged` tells of another one it is gone, to be said anew. At most 3,000 bytes of JSON; null takes it back.
   */
  setContext(context: Readonly<Record<string, unknown>> | null): void;
  /** Asks for the visitor, and opens the chat. While an answer is being written it goes into the composer. */
  send(text: string): void;
  /** Opens the chat with this in the composer, behind what the visitor has written there. */
  prefill(text: string): void;
  newConversation(): void;
  /** Opens one of the visitor's conversations, by the `conversationId` of an event. */
  openConversation(conversationId: string): void;
  /** The conversation, its draft and a running answer stay. */
  setOpenStyle(style: 'normal' | 'dock'): void;
  /**
   * A card above the launcher while the chat is closed, at most four of them. A click opens the chat, or does what
   * `onClick` says. One that the visitor has put away does not come again in this browser.
   */
  addMessage(text: string, more?: MessageOptions): { dismiss(): void };
  /** Rewrites or hides answers before they are shown, those of history too; what is kept of them stays as it is. */
  onBeforeDisplay(change: BeforeDisplay): void;
  /** @returns what ends it */
  on<E extends keyof PorchlightEvents>(event: E, listener: (detail: PorchlightEvents[E]) => void): () => void;
  /** Takes the widget off the page. What runs, runs on at the helper. */
  destroy(): void;
  push(...calls: Call[]): void;
};

/** A method's name and what it takes: `['setLanguage', 'de']`. */
export type Call = Acts[keyof Acts] | Listening[keyof Listening];

type Acts = {
  [M in Exclude<keyof PorchlightApi, 'on' | 'push'>]: [method: M, ...values: Parameters<PorchlightApi[M]>];
};
type Listening = {
  [E in keyof PorchlightEvents]: [method: 'on', event: E, listener: (detail: PorchlightEvents[E]) => void];
};

/** What `chat` of a `<porchlight-chat bot-id helper>` gives, which fills a box of the page and goes with it. */
export type BoxApi = Omit<PorchlightApi, 'setOpenStyle' | 'addMessage' | 'destroy' | 'push'>;

/** Shadow parts that a page may style with `porchlight-chat::part(…)`. */
export type Part =
  | 'launcher'
  | 'dock'
  | 'panel'
  | 'header'
  | 'message'
  | 'body'
  | 'composer'
  | 'send'
  | 'stop'
  | 'cards'
  | 'announcer'
  | 'unread'
  | 'greeting'
  | 'newest'
  | 'history'
  | 'sources'
  | 'card'
  | 'error';

/** CSS custom properties read from the element. */
export type CssProperty =
  | '--porchlight-accent'
  /** What is written on the accent. Default: black or white, whichever can be read. */
  | '--porchlight-on-accent'
  | '--porchlight-font'
  | '--porchlight-z-index'
  /** Of the panel's and the dock's corners. */
  | '--porchlight-radius'
  /** From the edges of the window. */
  | '--porchlight-offset';

declare global {
  interface Window {
    /** Until the script has run there is at most an array that the page has pushed calls into. */
    Porchlight?: Partial<PorchlightApi> & Pick<PorchlightApi, 'push'>;
  }
  interface HTMLElementTagNameMap {
    'porchlight-chat': HTMLElement & { readonly chat?: BoxApi };
  }
}

/** `import { createChat, defineElement } from 'porchlight/widget'`: chats that a page's own code starts, as the script tag would. */
import { defineBox } from './box.ts';
import { startChat } from './chat.ts';
import type { WidgetOptions } from './options.ts';
import type { PorchlightApi, UserToken, Words } from './public.ts';

export type { BoxApi, PorchlightApi, PorchlightEvents, UserToken, Words } from './public.ts';

/** As the attributes of the tag, with what they are made of. */
export type ChatOptions = {
  botId: string;
  /** Base URL of the helper, such as `/porchlight`. */
  helper: string;
  /** `null`: nobody is signed in. Left out: that is not known yet, and `identify` will say it. */
  userToken?: UserToken | null;
  /** Default `normal`. */
  openStyle?: 'normal' | 'dock';
  /** Default `bottom-right`. */
  position?: 'bottom-right' | 'bottom-left';
  /** CSS pixels, 320 to 1200. Default 720. */
  dockWidth?: number;
  accentColor?: string;
  theme?: 'light' | 'dark';
  /** The page has a button of its own. */
  launcher?: 'hidden';
  /** Seconds, 1 to 60. */
  autoOpen?: number;
  /** BCP 47. */
  language?: string;
  title?: string;
  placeholder?: string;
  greetings?: readonly string[];
  starters?: readonly string[];
  /** What the page knows and the agent may use, as by `setContext`. */
  metadata?: Readonly<Record<string, unknown>>;
  /** The site's own words for the chat's, in any language. */
  words?: Words;
};

/**
 * Puts a chat on the page. Several of different bots may stand beside each other.
 *
 * @returns the same methods as `window.Porchlight`, which stays as it is
 * @throws TypeError where `botId` or `helper` is missing or no address; Error outside of a browser
 */
export function createChat(options: ChatOptions): PorchlightApi {
  if (typeof document === 'undefined')
    throw new Error('createChat needs a page: call it in the browser, as in an effect or onMounted');
  const { botId, helper, userToken, greetings, starters, metadata, words, ...rest } = options;
  if (typeof botId !== 'string' || botId === '') throw new TypeError('createChat: botId is missing');
  const base = toBase(helper);
  const filled = Object.entries(rest).filter(([, value]) => value !== undefined);
  const api = startChat(
    {
      ...(Object.fromEntries(filled.map(([name, value]) => [name, String(value)])) as Partial<WidgetOptions>),
      ...(greetings && { greetings: JSON.stringify(greetings) }),
      ...(starters && { starters: JSON.stringify(starters) }),
      ...(metadata && { metadata: JSON.stringify(metadata) }),
      ...(words && { words: JSON.stringify(words) }),
      botId,
      helper: base,
    } as WidgetOptions,
    `${base}/widget/`,
    () => {},
  );
  if (userToken !== undefined) api.identify(userToken);
  return api;
}

/**
 * Makes each `<porchlight-chat bot-id="…" helper="…">` of the page a chat that fills the element, now and later. Its
 * attributes are the tag's without `data-`; `element.chat` has the methods. Again, or on a server, it does nothing.
 */
export function defineElement(): void {
  if (typeof document !== 'undefined') defineBox();
}

function toBase(helper: string): string {
  if (typeof helper === 'string' && helper !== '' && URL.canParse(helper, document.baseURI))
    return new URL(helper, document.baseURI).href.replace(/\/$/, '');
  throw new TypeError('createChat: helper must be the address of the helper, such as /porchlight');
}

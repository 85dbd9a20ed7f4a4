/** `<porchlight-chat bot-id="…">` that a page has written: a chat that fills this box, once it comes near the window. */
import { type ChatApi, heard, startChat } from './chat.ts';
import { readOptions } from './options.ts';
import type { BoxApi } from './public.ts';
import boxCss from './styles/box.css?inline';

const name = 'porchlight-chat';
/** On the element: since when it says what, so that a copy of it says the same and nothing new. */
const mark = 'said';
/** How near, so that it is there when the visitor is. */
const nearPx = 300;

/**
 * Makes each `<porchlight-chat bot-id helper>` of the page a chat, now and later. Again, it does nothing.
 *
 * @param src where the widget's files are; without one each element says where its helper is
 */
export function defineBox(src?: string): void {
  if (customElements.get(name)) return;
  customElements.define(name, createBox(src));
  // What the page's own tag says was said by now, though a box may come to it much later.
  hearTags();
  document.addEventListener('DOMContentLoaded', hearTags);
}

function hearTags(): void {
  for (const { dataset } of document.querySelectorAll<HTMLElement>('script[data-user-token]'))
    heard[dataset.userToken as string] ??= Date.now();
}

/** A class of HTMLElement, which is there in a browser alone. */
const createBox = (src: string | undefined) =>
  class PorchlightChat extends HTMLElement {
    static observedAttributes = ['bot-id', 'user-token', 'language'];
    #api: ChatApi | undefined;
    #watch: IntersectionObserver | undefined;
    /** What its `user-token` says, and since when: put back into the page, it says nothing new. */
    #said: { token: string | null; at: number } | undefined;

    /** What a page may ask of it; undefined while it is off the page. */
    get chat(): BoxApi | undefined {
      return this.#api;
    }

    connectedCallback(): void {
      if (this.#api || !this.isConnected) return;
      if (!this.hasAttribute('bot-id'))
        return queueMicrotask(() => {
          // The other open styles make an element of this name too, which is not a box of the page.
          if (!this.shadowRoot && !this.hasAttribute('bot-id'))
            console.error('Porchlight: add bot-id to porchlight-chat');
        });
      if (!src && !this.getAttribute('helper'))
        return console.error('Porchlight: add helper, the address of the helper, to porchlight-chat');
      const api = this.#start();
      this.#api = api;
      if (this.#readToken() !== null || document.readyState !== 'loading') return this.#begin(api);
      // The page's own tag may stand further down.
      document.addEventListener('DOMContentLoaded', () => this.#api === api && this.#begin(api), {
        once: true,
      });
    }

    /** Where the page's own tag says who is there, a box without a token says the same. */
    #readToken(): string | null {
      const tag = document.querySelector<HTMLScriptElement>('script[data-user-token]');
      return this.getAttribute('user-token') ?? tag?.dataset.userToken ?? null;
    }

    /** As the tag does: a page of this site that says nothing is a sign-out from then on. */
    #say(api: ChatApi): void {
      // Of what Turbo has kept of a page, which is put back at Back without the page's tag.
      const [since, former] = this.getAttribute(mark)?.split(' ') ?? [];
      const token = this.#readToken() ?? (former || null);
      const isSaid = former === (token ?? '');
      if (this.#said?.token !== token)
        this.#keep(token, heard[String(token)] ?? (isSaid ? Number(since) : Date.now()));
      // It is none that Turbo would run again, and nothing of the page is to hold it.
      const dataset = { turboTrack: 'none', ...(token !== null && { userToken: token }) };
      api.tag({ dataset, remove() {} }, this.#said?.at);
    }

    #keep(token: string | null, at: number): void {
      this.#said = { token, at };
      this.setAttribute(mark, `${at} ${token ?? ''}`);
    }

    #begin(api: ChatApi): void {
      this.#say(api);
      const open = (entries: readonly IntersectionObserverEntry[]) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        this.#watch?.disconnect();
        // By nobody's act: the focus stays where it is.
        (api.open as (why: string) => void)('auto');
      };
      this.#watch = new IntersectionObserver(open, { rootMargin: `${nearPx}px` });
      this.#watch.observe(this);
    }

    disconnectedCallback(): void {
      // One that is only moved is there again at once.
      queueMicrotask(() => {
        if (this.isConnected) return;
        this.#watch?.disconnect();
        this.#api?.destroy();
        this.#api = undefined;
        this.shadowRoot?.replaceChildren();
      });
    }

    attributeChangedCallback(attribute: string, before: string | null, now: string | null): void {
      if (before === now) return;
      if (!this.#api) this.connectedCallback();
      else if (attribute === 'language') this.#api.setLanguage(now ?? '');
      // Of one that was in the page before this was defined each attribute is told, whatever was said by then.
      else if (attribute === 'user-token' && this.#said && this.#said.token !== now) {
        if (now !== null) return this.#say(this.#api);
        this.#keep(null, Date.now());
        this.#api.identify(null);
      }
    }

    #start(): ChatApi {
      const options = { ...this.dataset };
      for (const { name, value } of this.attributes)
        if (!name.startsWith('data-'))
          options[name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())] = value;
      const style = { openStyle: 'inline', launcher: 'hidden', autoOpen: undefined, userToken: undefined };
      const from = src ?? new URL(`${options.helper}/widget/`, document.baseURI).href;
      const read = readOptions({
        dataset: { ...options, ...style },
        src: from,
      } as unknown as HTMLScriptElement);
      const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
      const api = startChat(read, from, () => {}, root);
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(boxCss);
      root.adoptedStyleSheets = [sheet];
      return api;
    }
  };

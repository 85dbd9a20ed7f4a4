/** `<porchlight-chat bot-id="…">` that a page has written: a chat that fills this box, once it comes near the window. */
import { type ChatApi, startChat } from './chat.ts';
import { readOptions } from './options.ts';
import type { BoxApi } from './public.ts';
import boxCss from './styles/box.css?inline';

const name = 'porchlight-chat';
/** How near, so that it is there when the visitor is. */
const nearPx = 300;

/**
 * Makes each `<porchlight-chat bot-id helper>` of the page a chat, now and later. Again, it does nothing.
 *
 * @param src where the widget's files are; without one each element says where its helper is
 */
export function defineBox(src?: string): void {
  if (!customElements.get(name)) customElements.define(name, createBox(src));
}

/** A class of HTMLElement, which is there in a browser alone. */
const createBox = (src: string | undefined) =>
  class PorchlightChat extends HTMLElement {
    static observedAttributes = ['bot-id', 'user-token', 'language'];
    #api: ChatApi | undefined;
    #watch: IntersectionObserver | undefined;

    /** What a page may ask of it; the first use loads it. Undefined while it is off the page. */
    get chat(): BoxApi | undefined {
      this.#start();
      return this.#api;
    }

    connectedCallback(): void {
      // The other open styles make an element of this name too, which is not a box of the page.
      if (this.#api || this.#watch || !this.isConnected || !this.hasAttribute('bot-id')) return;
      this.#watch = new IntersectionObserver(
        (entries) => entries.some(({ isIntersecting }) => isIntersecting) && this.#start(),
        { rootMargin: `${nearPx}px` },
      );
      this.#watch.observe(this);
    }

    disconnectedCallback(): void {
      // One that is only moved is there again at once.
      queueMicrotask(() => {
        if (this.isConnected) return;
        this.#watch?.disconnect();
        this.#watch = undefined;
        this.#api?.destroy();
        this.#api = undefined;
        this.shadowRoot?.replaceChildren();
      });
    }

    attributeChangedCallback(attribute: string, before: string | null, now: string | null): void {
      if (before === now) return;
      if (!this.#api) this.connectedCallback();
      else if (attribute === 'user-token') this.#api.identify(now);
      else if (attribute === 'language') this.#api.setLanguage(now ?? '');
    }

    #start(): void {
      if (this.#api || !this.isConnected) return;
      this.#watch?.disconnect();
      if (!src && !this.getAttribute('helper'))
        return console.error('Porchlight: add helper, the address of the helper, to porchlight-chat');
      const options = { ...this.dataset };
      for (const { name, value } of this.attributes)
        if (!name.startsWith('data-'))
          options[name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())] = value;
      const from = src ?? new URL(`${options.helper}/widget/`, document.baseURI).href;
      const { userToken, ...rest } = options;
      // It is always there, as a dock is.
      const style = { openStyle: 'dock', position: 'inline', launcher: 'hidden', autoOpen: undefined };
      const read = readOptions({ dataset: { ...rest, ...style }, src: from } as unknown as HTMLScriptElement);
      const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
      this.#api = startChat(read, from, () => {}, root);
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(boxCss);
      root.adoptedStyleSheets = [sheet];
      this.#api.tag({ dataset: { userToken }, remove() {} });
    }
  };

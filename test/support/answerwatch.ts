/** What runs inside the page under attack: canaries, a watch on every drawn state of an answer, and a quick visitor. */

/** Hooked before anything of the page runs; every call is an attack that worked. */
export function hookCanaries(): void {
  const scope = window as unknown as Record<string, unknown>;
  const ran: string[] = [];
  scope.ran = ran;
  for (const name of ['__x', 'alert', 'confirm', 'prompt', 'print', 'open'])
    scope[name] = (...values: unknown[]) => void ran.push(`${name}(${values.join()})`);
}

/**
 * Installs `watch`: `ask` asks as a visitor would and resolves once the answer is complete, `faults` is all that was
 * ever wrong, `readAll` gives the HTML of every answer. Self-contained, since it is sent to the page as source.
 */
export function installWatch(): void {
  const root = document.querySelector('porchlight-chat')!.shadowRoot!;
  const svg = 'aria-hidden focusable height viewBox width';
  const line = 'd fill stroke stroke-linecap stroke-linejoin stroke-width';
  const plain = 'p h1 h2 h3 h4 h5 h6 hr blockquote ul table thead tbody tr strong em del br'.split(' ');
  const allowed = new Map<string, string[]>([
    ...plain.map((name): [string, string[]] => [name, []]),
    ...Object.entries({
      a: 'href target rel title',
      button: 'type aria-label aria-pressed',
      code: 'data-language',
      div: 'class tabindex',
      input: 'type disabled checked aria-label',
      li: 'class',
      ol: 'start',
      path: line,
      pre: 'class',
      span: 'class',
      svg,
      td: 'class',
      th: 'class scope',
    }).map(([name, list]): [string, string[]] => [name, list.split(' ')]),
  ]);
  const classes = /^(?:align-(?:left|center|right)|task|scroll|beside|wrapped)$/;
  const schemes = ['http:', 'https:', 'mailto:', 'tel:'];
  const faults = new Set<string>();
  let name = '';
  let asked = root.querySelectorAll('[data-role="agent"]').length;

  const checkLink = (link: HTMLAnchorElement) => {
    const href = link.getAttribute('href');
    if (href === null) return;
    const url = new URL(href);
    if (!schemes.includes(url.protocol)) faults.add(`${name}: leads to ${url.protocol}`);
    if (url.username || url.password) faults.add(`${name}: a user in the address`);
    if (link.target !== '_blank' || link.rel !== 'noopener noreferrer nofollow')
      faults.add(`${name}: target ${link.target}, rel ${link.rel}`);
    const host = url.host || url.pathname;
    if (!`${link.textContent} ${link.title}`.includes(host)) faults.add(`${name}: ${host} is not shown`);
    if (/[\u202a-\u202e\u2066-\u2069]/.test(`${link.textContent}${link.title}`))
      faults.add(`${name}: turns the direction of the text`);
  };
  const check = (body: Element) => {
    for (const element of body.querySelectorAll('*')) {
      const attributes = allowed.get(element.localName);
      if (!attributes) faults.add(`${name}: <${element.localName}>`);
      for (const { name: attribute, value } of element.attributes) {
        if (!attributes?.includes(attribute)) faults.add(`${name}: ${element.localName}[${attribute}]`);
        if (attribute === 'class' && !classes.test(value)) faults.add(`${name}: class ${value}`);
        if (attribute === 'data-language' && !/^[\w+#.-]{1,20}$/.test(value))
          faults.add(`${name}: language ${value}`);
      }
      if (element.localName === 'button' && element.getAttribute('type') !== 'button')
        faults.add(`${name}: a button that is none of the widget's`);
      if (element.localName === 'input' && !element.matches('[type="checkbox"]:disabled'))
        faults.add(`${name}: a field to write in`);
      if (element instanceof HTMLAnchorElement) checkLink(element);
    }
  };
  const findBodies = () => [...root.querySelectorAll('[part~="message"][data-role="agent"] [part~="body"]')];
  /** Every drawn state is looked at, not the last alone. */
  new MutationObserver(() => {
    const newest = findBodies()[asked - 1];
    if (newest) check(newest);
  }).observe(root, { subtree: true, childList: true, attributes: true, characterData: true });

  /** What a visitor's pointer and keyboard would do to each element. */
  const poke = (body: Element) => {
    for (const element of body.querySelectorAll<HTMLElement>('*')) {
      for (const kind of ['pointerover', 'mouseover', 'mouseenter', 'mousemove', 'mousedown', 'mouseup'])
        element.dispatchEvent(new MouseEvent(kind, { bubbles: true, composed: true }));
      // The widget's own buttons do what they are for.
      if (element.closest('button')) continue;
      element.focus?.();
      element.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, cancelable: true }));
    }
  };
  addEventListener(
    'click',
    (event) => {
      const link = event.composedPath().find((one) => one instanceof HTMLAnchorElement);
      if (link?.hasAttribute('href')) event.preventDefault();
    },
    true,
  );
  const setValue = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')!.set!;
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const waitFor = async (selector: string, count: number) => {
    while (root.querySelectorAll(selector).length < count) await nextFrame();
  };

  Object.assign(window, {
    watch: {
      async ask(question: string, vector: string, mustShow?: string) {
        await waitFor('[part~="send"]', 1);
        name = vector;
        const field = root.querySelector('[part~="composer"]')!;
        setValue.call(field, question);
        field.dispatchEvent(new Event('input', { bubbles: true }));
        await nextFrame();
        field.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, composed: true, cancelable: true }),
        );
        asked += 1;
        await waitFor('[data-role="agent"][data-status="completed"]', asked);
        const isShown = () => mustShow === undefined || findBodies().at(-1)!.textContent!.includes(mustShow);
        // What reads rare character references comes when it comes.
        for (let tries = 0; !isShown() && tries < 100; tries += 1)
          await new Promise((resolve) => setTimeout(resolve, 50));
        const body = findBodies().at(-1)!;
        check(body);
        poke(body);
        if (!isShown()) faults.add(`${vector}: does not show ${mustShow}`);
      },
      checkAll(names: string[]) {
        for (const [index, body] of findBodies().entries()) {
          name = `${names[index]} from history`;
          check(body);
          poke(body);
        }
      },
      readAll: () => findBodies().map((body) => body.innerHTML),
      readFaults: () => [...faults],
    },
  });
}

export type Watch = {
  ask(question: string, vector: string, mustShow?: string): Promise<void>;
  checkAll(names: string[]): void;
  readAll(): string[];
  readFaults(): string[];
};

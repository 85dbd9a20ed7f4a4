/** What the chat borrows from the page around it, and gives back exactly as it was. */

/** Sets a property of the element's own style; @returns what undoes it */
function borrow(element: HTMLElement, name: string, value: string): () => void {
  const { style } = element;
  const had = element.hasAttribute('style');
  const before = style.getPropertyValue(name);
  const priority = style.getPropertyPriority(name);
  style.setProperty(name, value, 'important');
  const ours = style.getPropertyValue(name);
  return () => {
    // The page has changed or lifted it meanwhile: that stands.
    if (style.getPropertyValue(name) !== ours || style.getPropertyPriority(name) !== 'important') return;
    style.setProperty(name, before, priority);
    if (!had && element.getAttribute('style') === '') element.removeAttribute('style');
  };
}

/** On what is held, and so on its copies, which a page that keeps its pages makes. */
const mark = 'data-porchlight-held';
const held = new Set<HTMLElement>();

function free(element: HTMLElement): void {
  held.delete(element);
  element.inert = false;
  element.removeAttribute(mark);
}

function freeCopies(): void {
  for (const copy of document.querySelectorAll<HTMLElement>(`[${mark}]`)) if (!held.has(copy)) free(copy);
}

/** On each chat that covers the page, with its turn: of two, none takes the other out of reach. */
const covering = 'data-porchlight-covering';
const readTurns = () =>
  [...document.querySelectorAll(`[${covering}]`)].map((chat) => Number(chat.getAttribute(covering)));
/** Nothing stands higher: a wall of the page's above the chat could be seen and, held with the page, not be had away. */
const highest = 2147483647;

let watchesCopies = false;
/** A copy may come back long after the chat was closed. */
function watchCopies(): void {
  if (watchesCopies) return;
  watchesCopies = true;
  new MutationObserver(freeCopies).observe(document.documentElement, { childList: true });
}

/** While the chat covers the page, nothing behind it can be reached or scrolled. @returns what undoes it */
export function holdPage(dialog: HTMLElement): () => void {
  const root = dialog.getRootNode() as ShadowRoot;
  const { documentElement } = document;
  const mine = new Set<HTMLElement>();
  const hold = () => {
    for (const element of mine) if (!element.isConnected && mine.delete(element)) free(element);
    freeCopies();
    const beside: Element[] = [];
    for (let kept: Element | null = root.host; kept && kept !== documentElement; kept = kept.parentElement)
      beside.push(...[...(kept.parentElement?.children ?? [])].filter((one) => one !== kept));
    for (const other of beside)
      if (
        other instanceof HTMLElement &&
        !other.inert &&
        other.localName !== 'head' &&
        !other.hasAttribute(covering)
      ) {
        other.inert = true;
        other.setAttribute(mark, '');
        held.add(other);
        mine.add(other);
      }
  };
  dialog.addEventListener('keydown', keepFocusInside);
  const stopHearing = hearBack(dialog);
  const host = root.host as HTMLElement;
  const giveScrolling = borrow(documentElement, 'overflow', 'hidden');
  const turn = 1 + Math.max(0, ...readTurns());
  host.setAttribute(covering, String(turn));
  let giveHeight = () => {};
  const rise = () => {
    giveHeight();
    const above = readTurns().filter((other) => other > turn).length;
    giveHeight = borrow(host, '--porchlight-z-index', String(highest - above));
  };
  rise();
  if (host.hasAttribute(mark)) free(host);
  const takeFocus = () => {
    if (document.activeElement !== host)
      dialog.querySelector<HTMLElement>('.messages')?.focus({ preventScroll: true, focusVisible: false });
  };
  hold();
  watchCopies();
  const changes = new MutationObserver((records) => {
    hold();
    if (!records.some(({ type }) => type === 'attributes')) return;
    rise();
    // The one above has been closed.
    if (readTurns().length === 1) takeFocus();
  });
  // A page that swaps its body keeps the old one, to show it again.
  changes.observe(documentElement, { childList: true });
  changes.observe(document, { subtree: true, attributeFilter: [covering] });
  // What has the focus in the page, or had it before a reload, is out of reach now, and its keys are heard by nobody.
  takeFocus();
  return () => {
    changes.disconnect();
    host.removeAttribute(covering);
    for (const element of mine) free(element);
    giveScrolling();
    giveHeight();
    stopHearing();
    dialog.removeEventListener('keydown', keepFocusInside);
  };
}

type Closing = { onclose: (() => void) | null; destroy(): void };

/**
 * Where a phone's Back is told to what covers the page, it closes the chat, as Escape does, and the page stays. Its
 * history is the page's own and is left alone.
 *
 * @returns what undoes it
 */
function hearBack(dialog: HTMLElement): () => void {
  const { CloseWatcher } = window as { CloseWatcher?: new () => Closing };
  if (!CloseWatcher) return () => {};
  let watcher: Closing | undefined;
  let isOver = false;
  /** The key itself is told too, and means what stands where it was pressed. */
  let isKey = false;
  const noteKey = ({ key, isTrusted }: KeyboardEvent) => {
    if (key !== 'Escape' || !isTrusted) return;
    isKey = true;
    setTimeout(() => {
      isKey = false;
    });
  };
  const watch = () => {
    if (isOver) return;
    watcher = new CloseWatcher();
    watcher.onclose = () => {
      // Made while the key is still being told, it would be closed with this one.
      if (isKey) setTimeout(watch);
      else dialog.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    };
  };
  addEventListener('keydown', noteKey, true);
  watch();
  return () => {
    isOver = true;
    removeEventListener('keydown', noteKey, true);
    watcher?.destroy();
  };
}

function keepFocusInside(event: KeyboardEvent): void {
  if (event.key !== 'Tab') return;
  const dialog = event.currentTarget as HTMLElement;
  const reachable = [
    ...dialog.querySelectorAll<HTMLElement>(
      'button:not([disabled]), a[href], textarea, input:not([disabled]), [tabindex="0"]',
    ),
  ];
  const first = reachable[0];
  const last = reachable.at(-1);
  const active = (dialog.getRootNode() as ShadowRoot).activeElement;
  // A click on what is no control gives it to the dialog itself.
  if (event.shiftKey && (active === first || active === dialog)) {
    event.preventDefault();
    last?.focus();
  } else if (!event.shiftKey && active === last) {
    event.preventDefault();
    first?.focus();
  }
}

/** Between the dock and the window's edge, and as much above it. */
const aroundDockPx = 32;

/**
 * Says on the page's root how high the closed dock stands, makes the page longer by that, so that its last line can be
 * scrolled out from under the dock, and keeps what is scrolled into sight, such as a link that takes the focus, above it.
 *
 * @returns what undoes it
 */
export function reserveDockRoom(composer: Element): () => void {
  let undo = () => {};
  let height = 0;
  const reserve = () => {
    undo();
    undo = () => {};
    const { documentElement: root, body } = document;
    if (height === 0 || !body) return;
    const room = `${Math.ceil(height) + aroundDockPx}px`;
    const add = (before: string) => (before === 'auto' ? room : `calc(${before} + ${room})`);
    const steps = [
      borrow(body, 'padding-bottom', add(getComputedStyle(body).paddingBottom)),
      borrow(root, 'scroll-padding-bottom', add(getComputedStyle(root).scrollPaddingBottom)),
      borrow(root, '--porchlight-dock-height', room),
    ];
    undo = () => {
      // The first one knows whether the page had a style attribute.
      for (const step of steps.reverse()) step();
    };
  };
  const watch = new ResizeObserver(([entry]) => {
    height = entry?.borderBoxSize[0]?.blockSize ?? 0;
    reserve();
  });
  watch.observe(composer, { box: 'border-box' });
  // The page may swap its body for one without the room.
  const swaps = new MutationObserver(reserve);
  swaps.observe(document.documentElement, { childList: true });
  return () => {
    watch.disconnect();
    swaps.disconnect();
    undo();
  };
}

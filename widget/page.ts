/** What the widget reads of the page around it: its address, who has the focus, whether it is seen, and its storage. */
import type { TurnRequest } from '../server-helper/protocol/wire.ts';

const maxAddressChars = 2_000;
const maxTitleChars = 300;

/** Without query and fragment, which may hold secrets of the page; undefined where there is no address to tell. */
export function readPage(): TurnRequest['page'] {
  // A frame that is written into its page has no address of its own, and the origin of that page.
  const url = location.protocol.startsWith('http') ? location.origin + location.pathname : `${self.origin}/`;
  if (!url.startsWith('http')) return undefined;
  // A page's form may be named "title".
  return { url: url.slice(0, maxAddressChars), title: `${document.title}`.slice(0, maxTitleChars) };
}

/** For a visitor's own act, and never out of a field of the page. */
export function mayTakeFocus(): boolean {
  let focused = document.activeElement as HTMLElement | null;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement as HTMLElement;
  // Into a closed root nobody sees: what has the focus there may be a field.
  const isField =
    focused?.matches('input, textarea, select, iframe') ||
    focused?.isContentEditable ||
    focused?.localName.includes('-');
  return !isField && navigator.userActivation?.isActive !== false;
}

/** Leaving a tab and coming back to it, from the browser's memory of pages too: other pages were there since, as `onBack` is told. */
export function watchTab(
  onChange: (what: 'left' | 'seen') => void,
  onBack: () => void,
  signal: AbortSignal,
): void {
  document.addEventListener('visibilitychange', () => onChange(document.hidden ? 'left' : 'seen'), {
    signal,
  });
  addEventListener('pagehide', () => onChange('left'), { signal });
  addEventListener(
    'pageshow',
    ({ persisted }) => {
      if (!persisted) return;
      onChange('seen');
      onBack();
    },
    { signal },
  );
}

const nothing = () => {};
/**
 * Back shows the last frame of a page that the browser has kept, before any script of it runs: whose frame nobody else may
 * see is not kept, where the browser lets a page say so.
 */
export function setKept(isKept: boolean): void {
  // A page that forbids the listener would have it told on its console.
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } };
  if (isKept) removeEventListener('unload', nothing);
  else if (featurePolicy?.allowsFeature('unload') !== false) addEventListener('unload', nothing);
}

/** Another tab has changed or cleared the origin's storage. @param entry whose changes are told */
export function watchStorage(entry: string, onChange: () => void, signal: AbortSignal): void {
  addEventListener('storage', ({ key }) => (key === null || key === entry) && onChange(), { signal });
}

/** The visitor looks for the page: a tab begins with it, as one does that a link has opened, or Back has come to it. */
export function isSought(): boolean {
  const way = readWay();
  return way === 'back_forward' || (way === 'navigate' && history.length < 2);
}

export const isReload = (): boolean => readWay() === 'reload';

/** How the page was come to. */
function readWay(): string | undefined {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return page?.type;
}

/**
 * What is typed here is no hotkey of the page, the focus here none that it holds elsewhere, no scrolling is its own, and
 * nothing here is text that it lets nobody select or copy.
 */
export function keepToItself(root: ShadowRoot, signal: AbortSignal): void {
  for (const type of 'keydown keypress keyup focusin focusout paste copy cut wheel touchmove mousedown pointerdown touchstart selectstart contextmenu'.split(
    ' ',
  ))
    root.addEventListener(type, (event) => event.stopPropagation(), { signal });
}

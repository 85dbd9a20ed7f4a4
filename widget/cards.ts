/** What a page says unasked: cards above the launcher, for as long as the chat is closed. */
import { swallowSecondClicks } from './double-click.ts';
import { readTheme } from './options.ts';
import type { MessageOptions, PorchlightApi } from './public.ts';
import type { Seat } from './seat.ts';
import { toHash } from './state/subject.ts';
import css from './styles/cards.css?inline';

const mostCards = 4;
/** Of those put away, by their texts, hashed: nothing of the visitor. */
const storageKey = 'porchlight-cards';
const mostKept = 50;
const voiceMs = 100;
/** Its borders and what is below it, as the styles of the dock say. */
const aroundDockPx = 18;
const dismiss: Record<string, string> = {
  en: 'Dismiss',
  de: 'Ausblenden',
  es: 'Descartar',
  fr: 'Masquer',
  ar: 'إخفاء',
};

/** @param card empty, where it is to stand; no longer there once it is taken back */
export function addCard(
  { root, launcher, options }: Seat,
  api: PorchlightApi,
  card: HTMLElement,
  text: string,
  { onClick, dismissible = true }: MessageOptions,
): void {
  const mark = toHash(text);
  if (text.trim() === '' || (dismissible && readAway().includes(mark))) return card.remove();
  const list = root.querySelector<HTMLElement>('.cards') ?? createList();
  // All that wait, in their order.
  list.append(...[...root.children].filter((one) => one.localName === 'div' && one.className === ''));
  // Only what comes into a region that stands already is read out.
  setTimeout(fill, voiceMs);

  function fill(): void {
    card.className = 'card';
    card.part.value = 'card';
    const words = addButton(text, '', () => {
      leave();
      if (onClick) onClick();
      else api.open();
    });
    words.dir = 'auto';
    if (dismissible)
      addButton('\u00d7', 'away', () => {
        putAway(mark);
        leave();
      }).ariaLabel = toWord();
    while (list.childElementCount > mostCards) list.firstElementChild?.remove();
  }

  /** A focus that was here goes on to the next, or to where one asks. */
  function leave(): void {
    const beside = card.nextElementSibling ?? card.previousElementSibling;
    card.remove();
    const next =
      beside?.querySelector('button') ?? root.querySelector<HTMLElement>('.launcher, [part~="composer"]');
    next?.focus({ preventScroll: true });
  }

  function createList(): HTMLElement {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets.push(sheet);
    const list = document.createElement('div');
    list.className = options.position === 'bottom-left' ? 'cards left' : 'cards';
    list.part.value = 'cards';
    list.role = 'status';
    swallowSecondClicks(root);
    list.style.colorScheme = readTheme(options) ?? '';
    const look = () => {
      list.hidden = launcher?.ariaExpanded === 'true';
    };
    look();
    // What is open again after a reload tells of no opening.
    if (launcher) new MutationObserver(look).observe(launcher, { attributeFilter: ['aria-expanded'] });
    // A dock with the focus is taller: its starters are not to be hidden.
    const rise = new ResizeObserver((docks) => {
      for (const { target } of docks)
        list.style.setProperty('--porchlight-dock-height', `${target.clientHeight + aroundDockPx}px`);
    });
    root.addEventListener('focusin', () => {
      const dock = root.querySelector('.dock');
      if (dock) rise.observe(dock);
    });
    root.append(list);
    return list;
  }

  function addButton(label: string, name: string, act: () => void): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = name;
    button.textContent = label;
    button.onclick = act;
    card.append(button);
    return button;
  }

  function toWord(): string {
    const tag = options.language ?? document.documentElement.lang;
    return dismiss[tag.slice(0, 2).toLowerCase()] ?? 'Dismiss';
  }
}

function readAway(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    // Blocked, or written by somebody else.
    return [];
  }
}

function putAway(mark: string): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify([...readAway(), mark].slice(-mostKept)));
  } catch {}
}

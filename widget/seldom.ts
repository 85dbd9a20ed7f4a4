/** What the loader needs on few pages, or seldom: in a file of its own, so that it weighs nothing on the others. */
import { smallQuery } from './options.ts';
import type { MessageOptions, PorchlightApi } from './public.ts';
import type { Seat } from './seat.ts';

export { note } from './noting.ts';

/** Once, for one who has not used the chat before, and never over a page that it would cover. */
export function autoOpen({ root, options }: Seat, api: PorchlightApi): void {
  // It is asked for again once somebody is on the page.
  if (document.prerendering) return;
  const element = root.host as HTMLElement;
  const seconds = Number(options.autoOpen);
  if (!(seconds >= 1 && seconds <= 60))
    return console.error('Porchlight: data-auto-open takes seconds, 1 to 60');
  setTimeout(() => {
    const isUsed = root.querySelector('.app');
    if (!isUsed && element.isConnected && !element.hidden && !matchMedia(smallQuery).matches)
      // By nobody's act: the focus stays where it is.
      (api.open as (why: string) => void)('auto');
  }, seconds * 1_000);
}

/** @param card empty, where it is to stand; no longer there once it is taken back */
export async function addMessage(
  seat: Seat,
  api: PorchlightApi,
  card: HTMLElement,
  text: string,
  more?: MessageOptions,
): Promise<void> {
  if (typeof text !== 'string') return console.error('Porchlight: addMessage takes a string');
  const { addCard } = await import('./cards.ts');
  addCard(seat, api, card, text, more ?? {});
}

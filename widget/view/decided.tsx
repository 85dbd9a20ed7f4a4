/** What the cards share on which a visitor decides. */
import { type Signal, signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { TurnEventData } from '../../server-helper/protocol/wire.ts';
import type { Entry } from '../state/entries.ts';
import { useChat } from './context.ts';

export type DecisionProps = { entry: Entry; pause: TurnEventData['turn-paused'] };

/** A decision is on its way, also while the chat is closed. */
const decisions = new WeakMap<Entry, Signal<boolean>>();

export function useDecided(entry: Entry): Signal<boolean> {
  const decided = decisions.get(entry) ?? signal(false);
  decisions.set(entry, decided);
  return decided;
}

/** So long after a card has come under the pointer a click was meant for what stood there before. */
const guardMs = 400;

/** Stops the clicks that were not meant for the card; a key's click has no detail. */
export function useGuard() {
  const since = useRef(performance.now());
  return (event: MouseEvent) => {
    const isEarly = event.detail === 1 && performance.now() - since.current < guardMs;
    if (event.detail > 1 || isEarly) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
}

export function OpenUntil({ pause }: Pick<DecisionProps, 'pause'>) {
  const { t } = useChat();
  const at = new Date(pause.expiresAt);
  const isToday = at.toDateString() === new Date().toDateString();
  if (Number.isNaN(at.getTime())) return null;
  const time = at.toLocaleString(t('language'), {
    timeStyle: 'short',
    ...(!isToday && { dateStyle: 'medium' }),
  });
  return <p class="outcome">{t('openUntil', { time })}</p>;
}

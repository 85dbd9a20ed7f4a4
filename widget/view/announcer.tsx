/** Tells screen readers what happened: each state with a voice, and what ended, once. Never the words as they stream. */
import { effect } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Entry, toStoppedState } from '../state/entries.ts';
import { type Answer, isRunning } from '../state/turn.ts';
import { useChat } from './context.ts';

const maxSpokenChars = 2_000;

export function Announcer() {
  const { panel, conversation, display, spoken, say, t } = useChat();
  /** The turn that was seen running: one that history brings is not news. */
  const seen = useRef<string | undefined>(undefined);
  /** The pause that was told last. */
  const waits = useRef<string | undefined>(undefined);
  /** What was said of this conversation. */
  const told = useRef('');
  const listen = () => {
    // Told, if it is still news, once it is known whose it is.
    if (panel.veil.value > 0) return;
    const running = conversation.running.value;
    const entries = conversation.entries.value;
    if (entries.length === 0) {
      // Another conversation, perhaps another visitor: nothing of the last answer stays to be read.
      seen.current = undefined;
      if (told.current !== '' && spoken.peek().startsWith(told.current)) spoken.value = '';
      told.current = '';
    }
    const entry = entries.find(({ turnId }) => turnId === (running ?? seen.current));
    const answer = entry?.answer.value;
    if (running !== undefined) {
      seen.current = running;
      return;
    }
    if (!entry || !answer || seen.current === undefined || isRunning(answer)) return;
    seen.current = undefined;
    const pause = answer.status === 'paused' ? `${entry.turnId} ${answer.pause?.expiresAt}` : undefined;
    // Looked at again, it waits as it did.
    if (pause !== undefined && pause === waits.current) return;
    waits.current = pause;
    told.current = toTold(entry, answer);
    say(told.current);
  };
  const toTold = (entry: Entry, answer: Answer) => {
    if (answer.status === 'stopped') return t(toStoppedState(entry, answer));
    if (answer.status !== 'completed') return t(answer.pause ? 'paused' : (answer.code ?? 'internal'));
    const shown = display.value(answer);
    return shown ? t('announceAnswer', { text: toSpoken(shown.text) }) : '';
  };
  const veil = panel.veil.value;
  // Nor does it stay to be found: not under a veil, and not in a panel that was closed.
  useLayoutEffect(() => {
    if (veil > 0) spoken.value = '';
    return () => {
      spoken.value = '';
    };
  }, [veil > 0, spoken]);
  // At once, not with the next frame: a short answer begins and ends within one.
  useLayoutEffect(() => effect(listen), [spoken]);
  return (
    <div part="announcer" class="announcer notranslate" role="status" aria-live="polite">
      {spoken.value}
    </div>
  );
}

/** Without the marks of markdown, which are no words. */
function toSpoken(text: string): string {
  const plain = text
    // Some patterns take the square of a length.
    .slice(0, 4 * maxSpokenChars)
    .replace(/```[^\n]*\n?|[*_`#>|]|~~|--+|^\s*[-+]\s/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length <= maxSpokenChars ? plain : `${plain.slice(0, maxSpokenChars)}…`;
}

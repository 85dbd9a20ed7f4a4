/** Tells screen readers of what ended, once: a finished answer, a pause, a failure. Never the words as they stream. */
import { useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { sentences } from '../errors.ts';
import { useChat } from './context.ts';

const maxSpokenChars = 2_000;

export function Announcer() {
  const { conversation, t } = useChat();
  const region = useRef<HTMLDivElement>(null);
  /** The turn that was seen running: one that history brings is not news. */
  const seen = useRef<string | undefined>(undefined);
  useSignalEffect(() => {
    const running = conversation.running.value;
    const entries = conversation.entries.value;
    if (entries.length === 0) {
      // Another conversation, perhaps another visitor: nothing of the last answer stays to be read.
      seen.current = undefined;
      if (region.current) region.current.textContent = '';
    }
    const entry = entries.find(({ turnId }) => turnId === (running ?? seen.current));
    const answer = entry?.answer.value;
    if (running !== undefined) {
      seen.current = running;
      return;
    }
    if (!answer || seen.current === undefined || answer.status === 'writing' || answer.status === 'sending')
      return;
    seen.current = undefined;
    const said = {
      completed: () => t('announceAnswer', { text: toSpoken(answer.text) }),
      paused: () => t('announcePaused'),
      stopped: () => t('stopped'),
      failed: () => t(sentences[answer.code ?? 'internal']),
    }[answer.status]();
    if (region.current) region.current.textContent = said;
  });
  return <div ref={region} part="announcer" class="announcer" role="status" aria-live="polite" />;
}

/** Without the marks of markdown, which are no words. */
function toSpoken(text: string): string {
  const plain = text
    .replace(/```[^\n]*\n?|[*_`#>|]|^\s*[-+]\s/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length <= maxSpokenChars ? plain : `${plain.slice(0, maxSpokenChars)}…`;
}

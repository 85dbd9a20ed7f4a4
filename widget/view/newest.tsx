/** The way back to the end, for one who reads further up, and how many answers came there meanwhile. Loaded with the first. */
import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { words } from '../strings/en/newest.ts';
import css from '../styles/newest.css?inline';
import { useChat } from './context.ts';
import { Icon } from './icons.tsx';

export { css, words };

export default function Newest({ onClick }: { onClick: () => void }) {
  const { conversation, t } = useChat();
  const ended = useComputed(
    () => conversation.entries.value.filter(({ answer }) => answer.value?.status === 'completed').length,
  );
  const before = useRef(ended.peek());
  const count = ended.value - before.current;
  return (
    <div class="newest">
      <button
        part="newest"
        type="button"
        aria-label={count > 0 ? `${t('newMessages', { count })}. ${t('toNewest')}` : t('toNewest')}
        title={t('toNewest')}
        onClick={onClick}
      >
        <Icon path="M12 5v13M6 12.500l6 6 6-6" />
        {count > 0 && t('newMessages', { count })}
      </button>
    </div>
  );
}

/** For one who reads further up: the way back to the end, how many answers came there meanwhile, and the place, which is kept. Loaded with the first. */
import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { words } from '../strings/en/newest.ts';
import css from '../styles/newest.css?inline';
import { useChat } from './context.ts';
import { Icon } from './icons.tsx';

export { css, words };

export type NewestProps = {
  list: { current: HTMLElement | null };
  /** Asked at each scroll. */
  isReadersOwn: { current: (() => boolean) | undefined };
  onClick: () => void;
};

export default function Newest({ list, isReadersOwn, onClick }: NewestProps) {
  const { conversation, t } = useChat();
  // Older ones, which come in above, are no news.
  const oldest = useRef(conversation.entries.peek()[0]?.turnId);
  const ended = useComputed(() => {
    const entries = conversation.entries.value;
    const from = entries.findIndex(({ turnId }) => turnId === oldest.current);
    return entries.slice(Math.max(from, 0)).filter(({ answer }) => answer.value?.status === 'completed')
      .length;
  });
  const before = useRef(ended.peek());
  const count = ended.value - before.current;
  useLayoutEffect(() => keepPlace(list.current!, isReadersOwn), []);
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

/** The window becomes wider or taller, and its lines are others: what was at the upper edge stays there. @returns what ends it */
function keepPlace(area: HTMLElement, isReadersOwn: NewestProps['isReadersOwn']): () => void {
  let { block, part } = findPlace(area);
  let putAt = -1;
  const toSize = ({ clientWidth, clientHeight }: Element) => `${clientWidth} ${clientHeight}`;
  let size = toSize(area);
  isReadersOwn.current = () => {
    const isPut = area.scrollTop === putAt;
    putAt = -1;
    if (!isPut) ({ block, part } = findPlace(area));
    return !isPut;
  };
  const watch = new ResizeObserver(() => {
    const before = size;
    size = toSize(area);
    if (size === before || !block.isConnected) return;
    const { top, height } = block.getBoundingClientRect();
    const edge = area.getBoundingClientRect();
    // A page may be zoomed, which its boxes tell and its scroll positions do not.
    const scale = edge.height / area.offsetHeight;
    area.scrollTop += (top + part * height - edge.top) / scale;
    putAt = area.scrollTop;
  });
  watch.observe(area);
  return () => {
    isReadersOwn.current = undefined;
    watch.disconnect();
  };
}

/** What stands at the upper edge, and how much of it is above that: a block, and no whole message, which may still be written. */
function findPlace(area: Element) {
  const edge = area.getBoundingClientRect().top;
  let block = area;
  for (;;) {
    const inside = [...block.children].find((one) => one.getBoundingClientRect().bottom > edge);
    if (!inside || /^(p|li|pre|tr|h\d)$/.test(block.localName)) break;
    block = inside;
  }
  const { top, height } = block.getBoundingClientRect();
  return { block, part: (edge - top) / height };
}

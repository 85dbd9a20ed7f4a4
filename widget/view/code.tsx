/** Beside a block of code: copies it, and wraps its lines where they are longer than the chat is wide. Loaded with the first. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../strings/en/code.ts';
import css from '../styles/code.css?inline';
import { useChat } from './context.ts';
import { useCopied } from './copied.ts';
import { Icon } from './icons.tsx';

export { css, words };

const shapes = {
  copy: 'M9 9V5.500h9.500V15H15M5.5 9H15v9.500H5.500z',
  done: 'M5 12.500l4.5 4.500L19 7.5',
  wrap: 'M5 6.500h14M5 12h11.500a2.750 2.750 0 0 1 0 5.500H13M15 15l-2.500 2.500L15 20M5 17.500h4',
};

export default function CodeButtons({ text }: { text: string }) {
  const { t } = useChat();
  const { isCopied, copy } = useCopied('copied');
  const copyButton = useRef<HTMLButtonElement>(null);
  const isWrapped = useSignal(false);
  const isWide = useSignal(false);
  useEffect(() => {
    const block = copyButton.current?.closest('pre');
    if (!block) return;
    // Told after the browser has laid it out anyway, also while it is written.
    const watch = new ResizeObserver(() => {
      isWide.value = block.scrollWidth > block.clientWidth;
    });
    for (const one of [block, block.firstElementChild]) if (one) watch.observe(one);
    return () => watch.disconnect();
  }, []);
  return (
    <span class="beside">
      {(isWide.value || isWrapped.value) && (
        <button
          type="button"
          aria-label={t('wrap')}
          aria-pressed={isWrapped.value}
          onClick={({ currentTarget }) => {
            // Until it is measured again, so that the button stays.
            isWide.value = true;
            isWrapped.value = !isWrapped.value;
            currentTarget.closest('pre')?.classList.toggle('wrapped', isWrapped.value);
          }}
        >
          <Icon path={shapes.wrap} />
        </button>
      )}
      <button
        type="button"
        ref={copyButton}
        aria-label={t(isCopied ? 'copied' : 'copy')}
        onClick={({ currentTarget }) =>
          copy({ 'text/plain': text }, currentTarget.closest('pre')?.firstElementChild)
        }
      >
        <Icon path={isCopied ? shapes.done : shapes.copy} />
      </button>
    </span>
  );
}

/** The chat in a box of the page: always open, as wide and as tall as the page made the box. */
import { useEffect } from 'preact/hooks';
import { Composer } from './composer.tsx';
import { useChat } from './context.ts';
import { PanelView } from './panel.tsx';

export function Inline() {
  const { panel, memory, open, t } = useChat();
  const isOpen = panel.isOpen.value;
  useEffect(() => {
    if (isOpen) return;
    // By nobody's act: the focus stays where it is.
    (open as (why: string) => void)('auto');
    // A window on the next page need not be open for it.
    memory.change({ open: undefined });
  }, [isOpen]);
  return (
    <section class="inline" aria-label={t('chat')}>
      <PanelView>
        <Composer focus={false} />
      </PanelView>
    </section>
  );
}

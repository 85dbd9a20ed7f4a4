/** The chat in a box of the page: always open, as wide and as tall as the page made the box. */
import { useEffect } from 'preact/hooks';
import { Composer } from './composer.tsx';
import { useChat } from './context.ts';
import { PanelView } from './panel.tsx';

export function Inline() {
  const { panel, options, open, t } = useChat();
  const isOpen = panel.isOpen.value;
  const name = panel.session.value?.agent.name ?? options.title;
  useEffect(() => {
    // It is not closed. By nobody's act: the focus stays where it is.
    if (!isOpen) (open as (why: string) => void)('auto');
  }, [isOpen]);
  return (
    <section class="inline" aria-label={name === undefined ? t('chat') : t('panel', { name })}>
      <PanelView>
        <Composer focus={false} />
      </PanelView>
    </section>
  );
}

/** Opening and closing the panel, and where the focus is then. */
import { mayTakeFocus } from './page.ts';
import type { PorchlightEvents } from './public.ts';
import type { Memory } from './state/memory.ts';
import type { Panel } from './state/panel.ts';

type OpeningDeps = {
  panel: Panel;
  memory: Memory;
  root: ShadowRoot;
  launcher: HTMLElement;
  emit: (event: 'open' | 'close', detail: PorchlightEvents['open']) => void;
  onOpen(): void;
};

export function createOpening({ panel, memory, root, launcher, emit, onOpen }: OpeningDeps) {
  let takesFocus = false;
  /** What of the page had the focus: a page without our launcher has a button of its own. */
  let opener: HTMLElement | null = null;
  const findComposer = () => root.querySelector<HTMLElement>('[part~="composer"]');
  const show = () => {
    if (panel.isOpen.value) return;
    panel.setOpen(true);
    // A box of the page is always open: a window on the next page need not be for it.
    root.host.hasAttribute('bot-id') || memory.change({ open: true });
    emit('open', undefined);
  };
  return {
    show,
    /** @param why `auto`: by nobody's act, so that the focus stays where it is */
    open(why?: unknown): void {
      takesFocus = why !== 'auto' && mayTakeFocus();
      if (!panel.isOpen.value) {
        opener = document.activeElement as HTMLElement | null;
        show();
        onOpen();
        // Who was here is not any more, and with that one's chat it was closed: it opens for whoever asks for it now.
        if (!panel.isOpen.value) {
          show();
          onOpen();
        }
      }
      if (panel.isDock.value && takesFocus) findComposer()?.focus({ preventScroll: true });
    },
    close(): void {
      // On the page before it may have been open, and this one has hidden it.
      if (memory.read().open) memory.change({ open: undefined });
      if (!panel.isOpen.value) return;
      panel.setOpen(false);
      // Only a focus that is ours is given back: a page that closes the chat keeps its own.
      if (root.activeElement) {
        const before = launcher.isConnected ? launcher : opener;
        (panel.isDock.value ? findComposer() : before)?.focus({ preventScroll: true });
      }
      emit('close', undefined);
    },
    /** Whether the composer that appears now takes the focus; asked once. */
    focuses(): boolean {
      const now = takesFocus;
      takesFocus = false;
      return now;
    },
  };
}

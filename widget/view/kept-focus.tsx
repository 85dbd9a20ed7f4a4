/** The focus stays in the chat: what goes away takes it along, and with that every key. Loaded once anything but the composer has it. */
import { useEffect } from 'preact/hooks';
import { useChat } from './context.ts';

/** `last`: had the focus last before this was loaded, and may be gone. */
export type KeptFocusProps = { reached: { last: Element } };

/** From what goes away the focus goes on to where `rest` puts it; from a way through the list, to the list. */
export default function KeptFocus({ reached }: KeptFocusProps) {
  const { root, rest } = useChat();
  useEffect(() => {
    let last: Element | undefined =
      root.activeElement ?? (reached.last.isConnected ? undefined : reached.last);
    const onFocus = ({ target }: Event) => {
      last = target as Element;
    };
    // Not so where the window as a whole has lost it, or what has it is being taken away: once this has run that is gone.
    const onBlur = ({ target }: Event) =>
      queueMicrotask(() => {
        if (last === target && last.isConnected && root.activeElement !== last) last = undefined;
      });
    const look = () => {
      if (!last || last.isConnected) return;
      const lost = last;
      last = undefined;
      // The page may have taken it.
      if (document.activeElement === document.body) rest(lost.matches('.quiet, .newest *') || undefined);
    };
    const watch = new MutationObserver(look);
    look();
    watch.observe(root, { childList: true, subtree: true });
    root.addEventListener('focusin', onFocus);
    root.addEventListener('focusout', onBlur);
    return () => {
      watch.disconnect();
      root.removeEventListener('focusin', onFocus);
      root.removeEventListener('focusout', onBlur);
    };
  }, []);
  return null;
}

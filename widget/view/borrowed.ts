/** Loads what deals with the page around the chat, where the chat stands over the page or covers it. */
import { useLayoutEffect } from 'preact/hooks';
import { tellOwner } from '../states.ts';
import { useChat } from './context.ts';

/** @param borrow takes something of the page and says how it is given back; done while `isWanted` */
export function useBorrowed(
  borrow: (page: typeof import('./page.ts')) => () => void,
  isWanted: boolean,
): void {
  const { options } = useChat();
  // A layout effect: what others clean up after the next frame is given back at once.
  useLayoutEffect(() => {
    if (!isWanted) return;
    let isOver = false;
    let giveBack = () => {};
    import('./page.ts').then(
      (page) => {
        if (!isOver) giveBack = borrow(page);
      },
      () => tellOwner('part-failed', options.helper),
    );
    return () => {
      isOver = true;
      giveBack();
    };
  }, [isWanted]);
}

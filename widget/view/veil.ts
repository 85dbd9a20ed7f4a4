/** What is on screen goes out of sight while it is asked whose it is, and keeps the focus and the place. */
import type { ReadonlySignal } from '@preact/signals';

export function createVeil(root: ShadowRoot, mount: HTMLElement, veil: ReadonlySignal<number>) {
  /** What had the focus under the veil. */
  let place: HTMLElement | null | undefined;
  const draw = () => {
    const focused = root.activeElement as HTMLElement | null;
    const list = focused?.closest<HTMLElement>('.messages');
    mount.classList.toggle('veiled', veil.value > 0);
    // What is hidden cannot have the focus: the list has it until then.
    if (veil.value === 0) {
      if (list === focused) place?.focus({ preventScroll: true });
      place = undefined;
    } else if (list && list !== focused) {
      place = focused;
      list.focus({ preventScroll: true });
    }
  };
  // Off with the first frame that shows what is there now, on at once.
  return () => {
    if (veil.value > 0) draw();
    else requestAnimationFrame(draw);
  };
}

/** The second click of a double click on one of the chat's buttons is nobody's: not what has come into its place, nor the page's behind it. */

/** @param root that of the chat's element */
export function swallowSecondClicks(root: ShadowRoot, options?: AddEventListenerOptions): void {
  // The first may have been the one that loaded this.
  let isOurs = true;
  for (const type of ['mousedown', 'mouseup', 'click', 'dblclick'])
    addEventListener(
      type,
      (event) => {
        const [clicked, ...path] = event.composedPath();
        // A key's click has no detail.
        if ((event as MouseEvent).detail < 2)
          isOurs = path.includes(root) && !!(clicked as Element).closest('button');
        else if (isOurs) {
          event.preventDefault();
          event.stopImmediatePropagation();
        }
      },
      { ...options, capture: true },
    );
}

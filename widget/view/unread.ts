/** The count of answers that came while the chat was closed, on its launcher. */
import { effect, type ReadonlySignal } from '@preact/signals';
import type { Panel } from '../state/panel.ts';
import { fill, type Strings } from '../strings/en.ts';
import css from '../styles/unread.css?inline';

const mostShown = 9;

export function markUnread(
  root: ShadowRoot,
  launcher: HTMLElement,
  panel: Panel,
  strings: ReadonlySignal<Strings>,
  onCount: (count: number) => void,
): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const mark = document.createElement('span');
  mark.part.value = 'unread';
  effect(() => onCount(panel.unread.value));
  effect(() => {
    const count = panel.unread.value;
    // The name of the launcher is set anew with each of these.
    void [panel.isDock.value, strings.value];
    mark.textContent = count > mostShown ? `${mostShown}+` : String(count);
    if (count === 0) return mark.remove();
    launcher.append(mark);
    launcher.ariaLabel = fill(strings.value.openUnread, { count });
  });
}

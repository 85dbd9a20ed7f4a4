/** The count of answers that came while the chat was closed: on its launcher, and read out, which in a closed dock is all of it that is here. */
import { computed, effect, type ReadonlySignal } from '@preact/signals';
import type { Panel } from '../state/panel.ts';
import { words as english } from '../strings/en/unread.ts';
import { fill, type Strings } from '../strings/en.ts';
import css from '../styles/unread.css?inline';

const mostShown = 9;
const voiceMs = 100;

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
  const voice = document.createElement('span');
  voice.role = 'status';
  voice.part.value = 'unread-voice';
  root.append(voice);
  // Under a veil nobody knows whose they are.
  const unread = computed(() => (panel.veil.value > 0 ? 0 : panel.unread.value));
  effect(() => onCount(unread.value));
  let speaking: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const count = unread.value;
    // The name of the launcher is set anew with each of these.
    void [panel.isDock.value, strings.value];
    clearTimeout(speaking);
    if (count === 0) {
      voice.textContent = '';
      launcher.ariaLabel = strings.value[panel.isOpen.value ? 'close' : 'open'];
      return mark.remove();
    }
    const name = panel.isDock.value ? 'backUnread' : 'openUnread';
    const words = fill(strings.value[name] ?? english[name], { count });
    mark.textContent = count > mostShown ? `${mostShown}+` : String(count);
    launcher.append(mark);
    launcher.ariaLabel = words;
    // Only what comes into a region that stands already is read out.
    speaking = setTimeout(() => {
      voice.textContent = words;
    }, voiceMs);
  });
}

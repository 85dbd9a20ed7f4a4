/** What of the element is seen beside the app: its launcher with the count of unread answers, and its colours. */
import { effect, type ReadonlySignal } from '@preact/signals';
import { applyAccent } from './accent.ts';
import type { WidgetOptions } from './options.ts';
import type { Seat } from './seat.ts';
import type { Panel } from './state/panel.ts';
import { tellOwner } from './states.ts';
import type { Strings } from './strings/en.ts';

/** @param mount what the launcher stands before @returns what ends it */
export function followPanel(
  { root, options }: Seat,
  launcher: HTMLElement,
  panel: Panel,
  mount: HTMLElement,
  theme: WidgetOptions['theme'],
  strings: ReadonlySignal<Strings>,
  onUnread: (count: number) => void,
): () => void {
  let isMarked = false;
  const stopButton = effect(() => {
    launcher.ariaExpanded = String(panel.isOpen.value);
    launcher.ariaLabel = strings.value[panel.isOpen.value ? 'close' : 'open'];
    if (panel.isDock.value) launcher.remove();
    else if (options.launcher !== 'hidden' && !launcher.isConnected) mount.before(launcher);
    if (isMarked || panel.unread.value === 0) return;
    isMarked = true;
    import('./view/unread.ts').then(
      ({ markUnread }) => markUnread(root, launcher, panel, strings, onUnread),
      () => {
        isMarked = false;
        tellOwner('part-failed', options.helper);
      },
    );
  });
  const stopBranding = effect(() => {
    const element = root.host as HTMLElement;
    const agent = panel.session.value?.agent;
    if (agent?.accentColor && !options.accentColor) applyAccent(element, agent.accentColor);
    // Light is what an agent has by default, so it does not overrule a visitor who prefers dark.
    if (agent?.theme === 'dark' && !theme) element.dataset.theme = 'dark';
  });
  return () => {
    stopButton();
    stopBranding();
  };
}

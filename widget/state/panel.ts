/** Whether the panel is open, and which of its two sides shows: the conversation, or the list of all. */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { WidgetError } from '../errors.ts';
import type { SessionState } from '../transport/session.ts';
import { join } from './unsent.ts';

export type Side = 'conversation' | 'history';

export type Panel = {
  readonly isOpen: ReadonlySignal<boolean>;
  /** The open style: a prompt bar that is always there, or a window. */
  readonly isDock: Signal<boolean>;
  /** In the larger window. */
  readonly isWide: Signal<boolean>;
  readonly side: ReadonlySignal<Side>;
  readonly session: ReadonlySignal<SessionState | undefined>;
  /** Why there is no session. */
  readonly refused: ReadonlySignal<WidgetError | undefined>;
  /** Counts up with each change of visitor: a draft belongs to the one who wrote it. */
  readonly visit: ReadonlySignal<number>;
  /** Counts up with each time that the browser has put the page back as it was left. */
  readonly backs: Signal<number>;
  setOpen(open: boolean): void;
  /** Answers that came while it was closed. */
  readonly unread: Signal<number>;
  show(side: Side): void;
  /** What is on screen stays out of sight until it is known whose it is: another number is another veil, 0 none. */
  readonly veil: Signal<number>;
  /** How thoroughly the agent is to think, as was chosen. */
  readonly mode: Signal<string | undefined>;
  /** What was sent and not delivered, until it is a draft again. */
  readonly unsent: ReadonlySignal<string | undefined>;
  giveBack(text: string | undefined): void;
  /** Somebody is there, and this is their session. */
  publish(session: SessionState): void;
  refuse(error: WidgetError): void;
  /**
   * Another visitor: nothing of the earlier one is left.
   * @param isSame the same guest, whose session is not known any more: what is being written stays
   */
  reset(isSame?: boolean): void;
};

export function createPanel(startsAsDock: boolean, startsWide = false): Panel {
  const isOpen = signal(false);
  const isDock = signal(startsAsDock);
  const isWide = signal(startsWide);
  const unread = signal(0);
  const side = signal<Side>('conversation');
  const session = signal<SessionState | undefined>(undefined);
  const refused = signal<WidgetError | undefined>(undefined);
  const visit = signal(0);
  const backs = signal(0);
  const unsent = signal<string | undefined>(undefined);
  const veil = signal(0);
  const mode = signal<string | undefined>(undefined);

  return {
    isOpen,
    isDock,
    isWide,
    side,
    session,
    refused,
    visit,
    backs,
    setOpen: (open) => {
      isOpen.value = open;
      if (open) unread.value = 0;
    },
    unread,
    show: (which) => {
      side.value = which;
    },
    veil,
    mode,
    unsent,
    giveBack(text) {
      unsent.value = text && join(unsent.value, text);
    },
    publish(opened) {
      session.value = opened;
      refused.value = undefined;
    },
    refuse(error) {
      refused.value = error;
    },
    reset(isSame) {
      if (!isSame) visit.value += 1;
      session.value = undefined;
      refused.value = undefined;
      side.value = 'conversation';
      if (!isSame) unsent.value = undefined;
      unread.value = 0;
      mode.value = undefined;
    },
  };
}

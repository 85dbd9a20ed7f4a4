/** What every component may use, handed down once. */
import type { ReadonlySignal, Signal } from '@preact/signals';
import { createContext, type RefObject } from 'preact';
import { useContext } from 'preact/hooks';
import type { ConversationList } from '../../server-helper/protocol/wire.ts';
import type { WidgetOptions } from '../options.ts';
import type { Conversation } from '../state/conversation.ts';
import type { Display } from '../state/display.ts';
import type { Memory } from '../state/memory.ts';
import type { Panel } from '../state/panel.ts';
import type { Answer } from '../state/turn.ts';
import type { State } from '../states.ts';
import { fill, type StringKey, type Strings } from '../strings/en.ts';
import type { SessionKeeper } from '../transport/session.ts';
import type { Tabs } from '../transport/tabs.ts';

export type ChatContext = {
  sessions: SessionKeeper;
  tabs: Tabs;
  panel: Panel;
  conversation: Conversation;
  options: WidgetOptions;
  root: ShadowRoot;
  strings: ReadonlySignal<Strings>;
  display: ReadonlySignal<Display>;
  /** First use: opens the session and takes up what was there. */
  begin(): void;
  open(): void;
  close(): void;
  memory: Memory;
};

/** What the components share among themselves; it lives as long as one visitor's visit. */
export type Shared = {
  /** The question being written: it outlives the panel. */
  draft: Signal<string>;
  /** The turn whose question is being asked otherwise. */
  changing: Signal<string | undefined>;
  /** What stands above the composer, until the visitor writes on. */
  hint: Signal<Hint | undefined>;
  /** What the live region says. */
  spoken: Signal<string>;
  field: RefObject<HTMLTextAreaElement | null>;
  /** The visitor's conversations as they were last told. */
  list: Signal<ConversationList | undefined>;
};

/** `App` stands around every component. */
export const Chat = createContext(undefined as unknown as ChatContext & Shared);

/** What stands over the composer, and why. */
export type Hint = { state: State; cause?: Answer | undefined };

export type Words = (key: StringKey, values?: Record<string, string | number>) => string;

export function useChat() {
  const chat = useContext(Chat);
  const t: Words = (key, values) => fill(chat.strings.value[key], values);
  return {
    ...chat,
    t,
    /** The same words twice are news twice: a live region tells only of what changes. @returns what takes them back */
    say(text: string) {
      const said = chat.spoken.peek() === text ? `${text}\u00a0` : text;
      chat.spoken.value = said;
      return () => {
        if (chat.spoken.peek() === said) chat.spoken.value = '';
      };
    },
    /** For the focus of a control that goes away: to the composer, or, where that brings a keyboard up, to the list. */
    rest(isReading = matchMedia('(pointer: coarse)').matches) {
      // The first of them that is there.
      const places = isReading ? '.messages, [part=composer]' : '[part=composer]';
      chat.root.querySelector<HTMLElement>(places)?.focus({ preventScroll: true });
    },
  };
}

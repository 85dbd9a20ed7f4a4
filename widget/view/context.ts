/** What every component may use, handed down once. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { WidgetOptions } from '../options.ts';
import type { Conversation } from '../state/conversation.ts';
import type { Panel } from '../state/panel.ts';
import { fill, type StringKey, type Strings } from '../strings/en.ts';

export type ChatContext = {
  panel: Panel;
  conversation: Conversation;
  options: WidgetOptions;
  strings: Strings;
  /** First use: opens the session and takes up what was there. */
  begin(): void;
  open(): void;
  close(): void;
  /** False once the browser has refused to keep anything. */
  keeps(): boolean;
};

export const Chat = createContext<ChatContext | undefined>(undefined);

export function useChat(): ChatContext & {
  t: (key: StringKey, values?: Record<string, string | number>) => string;
} {
  const chat = useContext(Chat);
  if (!chat) throw new Error('no chat around this component');
  return { ...chat, t: (key, values) => (values ? fill(chat.strings[key], values) : chat.strings[key]) };
}

/** Tells the visitor's other tabs of this site what happened here. */
import type { Who } from '../state/happening.ts';
import { sharedKey } from '../state/subject.ts';

export type TabNews =
  | { kind: 'turn'; conversationId: string; turnId: string }
  | { kind: 'deleted'; conversationId: string }
  /** `ask`: the page has spoken, and only asking tells who is there. `at`: when, in ms since 1970. */
  | { kind: 'identity'; who: Who; ask: boolean; at: number };

export type Tabs = { tell(news: TabNews): void; close(): void };

export function createTabs(onNews: (news: TabNews) => void): Tabs {
  try {
    const channel = new BroadcastChannel(sharedKey);
    channel.onmessage = ({ data }: MessageEvent<TabNews>) => onNews(data);
    return { tell: (news) => channel.postMessage(news), close: () => channel.close() };
  } catch {
    // Missing, or forbidden in a sandboxed frame: each tab is then on its own.
    return { tell() {}, close() {} };
  }
}

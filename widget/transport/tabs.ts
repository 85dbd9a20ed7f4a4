/** Tells the visitor's other tabs of this site what happened here. Nothing is told before the chat is used. */

export type TabNews =
  | { kind: 'turn'; conversationId: string; turnId: string }
  | { kind: 'deleted'; conversationId: string }
  | { kind: 'identity'; subject: string };

export type Tabs = { tell(news: TabNews): void; close(): void };

export function createTabs(name: string, onNews: (news: TabNews) => void): Tabs {
  if (typeof BroadcastChannel === 'undefined') return { tell() {}, close() {} };
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<TabNews>) => onNews(data);
  return { tell: (news) => channel.postMessage(news), close: () => channel.close() };
}

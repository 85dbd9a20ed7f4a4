/** Notes who is there, as a page says, where the chat was used before and is not loaded: for the other tabs, and for who comes next. */
import type { Stored } from './state/memory.ts';
import { readStored } from './state/stored.ts';
import { sharedKey, toClaimed, toSaidAt, toSubject } from './state/subject.ts';
import { askPage } from './transport/token.ts';

/**
 * For the tabs where the chat is in use: who is there, as this page says. Loaded where it was ever used, before the app.
 *
 * @param at when, in ms since 1970
 */
export function note(userToken: unknown, at: number, tag = false): void {
  if (typeof userToken === 'function' && isGuests()) void noteAnswer(userToken as () => string, tag);
  const said = toSaidAt(userToken, at, tag);
  const ask = typeof userToken === 'function';
  const who = typeof userToken === 'string' ? toSubject(userToken) : undefined;
  try {
    const kept = JSON.parse(localStorage.getItem(sharedKey) ?? '{}');
    // Another tab may have noted a later word meanwhile. Nothing is kept before the first use.
    if (!ask && (kept.said <= said || kept.said > Date.now()))
      localStorage.setItem(sharedKey, JSON.stringify(forgetTab(toClaimed(kept, who, said, tag))));
  } catch {}
  try {
    const channel = new BroadcastChannel(sharedKey);
    channel.postMessage({ kind: 'identity', who, ask, at: said });
    channel.close();
  } catch {}
}

/** What this tab has of somebody who is not there any more goes. */
function forgetTab(kept: Stored): Stored {
  for (const name of Object.keys(sessionStorage)) {
    const [, key] = /^porchlight-tab (.*)$/.exec(name) ?? [];
    if (key === undefined) continue;
    const { subject } = JSON.parse(sessionStorage.getItem(name) ?? '{}');
    if (subject !== kept.chats?.[key]?.subject) sessionStorage.removeItem(name);
  }
  return kept;
}

/** A guest's words go along with the first who signs in: who that was is to be known, though the chat is not opened. */
function isGuests(): boolean {
  const { who, chats } = readStored(localStorage.getItem(sharedKey));
  return who === undefined && Object.values(chats ?? {}).some(({ session }) => session !== undefined);
}

async function noteAnswer(ask: () => string, tag: boolean): Promise<void> {
  // Nobody is on the page yet.
  if (document.prerendering)
    await new Promise((resolve) => document.addEventListener('prerenderingchange', resolve));
  const at = Date.now();
  // A failure is told where somebody waits for the answer: once the chat is opened.
  await askPage(ask).then(
    (token) => note(token, at, tag),
    () => {},
  );
}

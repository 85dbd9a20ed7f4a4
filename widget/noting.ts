/** Notes who is there, as a page says, where the chat was used before and is not loaded: for the other tabs, and for who comes next. */
import type { Stored } from './state/memory.ts';
import { readStored } from './state/stored.ts';
import { sharedKey, toClaimed, toNamed, toSaidAt, toSubject } from './state/subject.ts';
import { askPage } from './transport/token.ts';

/**
 * For the tabs where the chat is in use: who is there, as this page says. Loaded where it was ever used, before the app.
 *
 * @param at when, in ms since 1970
 */
export function note(userToken: unknown, at: number, tag = false): void {
  void noteFirst(userToken, tag);
  let kept: Stored = {};
  try {
    kept = readStored(localStorage.getItem(sharedKey));
  } catch {}
  const said = toSaidAt(userToken, at, tag, kept.said);
  const ask = typeof userToken === 'function';
  const who = typeof userToken === 'string' ? toSubject(userToken) : undefined;
  try {
    // Another tab may have noted a later word meanwhile. Nothing is kept before the first use.
    const { said: last = Number.NaN } = kept;
    if (!ask && (last <= said || last > Date.now()))
      localStorage.setItem(sharedKey, JSON.stringify(forgetTab(toClaimed(kept, who, said, tag))));
  } catch {}
  try {
    const channel = new BroadcastChannel(sharedKey);
    channel.postMessage({ kind: 'identity', who, ask, at: said });
    channel.close();
  } catch {}
}

/** What this tab has of somebody who is not there any more goes; what nobody in particular wrote is theirs who is there now. */
function forgetTab(kept: Stored): Stored {
  for (const name of Object.keys(sessionStorage)) {
    const [, kind, key = ''] = /^porchlight-(tab|unsent) \w+ (.*)$/.exec(name) ?? [];
    if (!kind) continue;
    const value = JSON.parse(sessionStorage.getItem(name) ?? '{}');
    if (kind === 'unsent') sessionStorage.setItem(name, JSON.stringify(toNamed(value, kept.who)));
    else if (value.subject !== kept.chats?.[key]?.subject) sessionStorage.removeItem(name);
  }
  return kept;
}

/**
 * A guest's words go along with the first who signs in: where the page names the visitor by a function, who that was is to
 * be known though nobody opens the chat.
 */
export async function noteFirst(userToken: unknown, tag?: boolean): Promise<void> {
  if (typeof userToken !== 'function' || !isGuests()) return;
  // Nobody is on the page yet.
  if (document.prerendering)
    await new Promise((resolve) => document.addEventListener('prerenderingchange', resolve));
  const at = Date.now();
  // A failure is told where somebody waits for the answer: once the chat is opened.
  await askPage(userToken as () => string).then(
    (token) => note(token, at, tag),
    () => {},
  );
}

function isGuests(): boolean {
  try {
    const { who, chats } = readStored(localStorage.getItem(sharedKey));
    return who === undefined && Object.values(chats ?? {}).some(({ session }) => session !== undefined);
  } catch {
    return false;
  }
}

/** Who is at the desk, which agent lies on it, and which of its areas. */

import { signal } from '@preact/signals';
import { type Answer, ApiError, call, forgetKey, keepKey, readKey } from './api.ts';
import { isAnyWritten, mayLeave } from './written.ts';

const botName = 'desk-agent';
/** So many the choice of agents holds; the area of agents lists them all. */
const mostBots = 100;
/** What went well is said so long: it stands over what lies below. */
const goodNewsMs = 8_000;

export const isSignedIn = signal(readKey() !== null);
/** The key was taken back while somebody is at the desk: what lies on it waits for another. */
export const isRefused = signal(false);
export const bots = signal<Answer[]>([]);
/** Kept for the next tab too: an agent is no secret, as the key is. */
export const botId = signal(localStorage.getItem(botName) ?? '');
/** Whether the key may change what an agent is: a moderator’s may not. Undefined until that is known. */
export const canManage = signal<boolean | undefined>(undefined);
/** Why the agents could not be loaded. */
export const loadError = signal('');
/** Settings that are not saved yet, by agent: they wait until one comes back. */
export const drafts = signal<Readonly<Record<string, Readonly<Record<string, string | boolean>>>>>({});
/** How often a key was entered: what works on the key begins anew with it. */
export const entries = signal(0);
export const area = signal(readArea());
/** What the last action came to. */
export const notice = signal<{ text: string; isError: boolean } | undefined>(undefined);

/** Keys that were made, each shown until somebody says that they have it. */
export const madeKeys = signal<readonly string[]>([]);
/** Why the door is closed again. */
export const refusal = signal('');

function readArea(): string {
  return /^#\/(.+)/.exec(location.hash)?.[1] ?? 'overview';
}
let shownHash = location.hash;
addEventListener('hashchange', () => {
  if (location.hash === shownHash) return;
  if (!mayLeave()) {
    location.hash = shownHash;
    return;
  }
  shownHash = location.hash;
  area.value = readArea();
  notice.value = undefined;
});

/** What waits in settings until one comes back to it. */
const hasDrafts = () => Object.values(drafts.value).some((draft) => Object.keys(draft).length > 0);
const isAnythingLeft = () => isAnyWritten() || madeKeys.value.length > 0 || hasDrafts();
addEventListener('beforeunload', (event) => {
  if (isAnythingLeft()) event.preventDefault();
});

export function leave() {
  if (!isAnythingLeft() || confirm('Leave, and throw away what is not saved?')) signOut();
}

/** Throws an ApiError, also for a key that may not look. */
export async function signIn(given: string) {
  const key = given.trim();
  // What is no such character cannot be sent.
  if (!/^[!-~]+$/.test(key)) throw new ApiError('invalid_api_key', 'This is no API key.');
  const before = canManage.value;
  const isAnythingWritten = isAnyWritten() || hasDrafts();
  keepKey(key);
  try {
    // First: of a key that may not look, what is on the desk hears nothing.
    await call('GET', '/v1/bot/subscriber/readall', { per_page: 1 }).catch((thrown: unknown) => {
      if (!(thrown instanceof ApiError) || thrown.code !== 'forbidden') throw thrown;
      throw new ApiError(
        'forbidden',
        'This key is a member’s. The desk is for owners, admins and moderators.',
      );
    });
    await loadBots();
    // Meanwhile somebody may have left.
    if (readKey() !== key) throw new ApiError('key_changed', 'This key was put away meanwhile.');
    refusal.value = '';
    // A key that was shown is of whoever made it.
    madeKeys.value = [];
    if (canManage.value !== before) drafts.value = {};
    isRefused.value = false;
    entries.value += 1;
    isSignedIn.value = true;
    if (before && !canManage.value && isAnythingWritten)
      notice.value = { text: 'This key may not save what was written: it is gone.', isError: true };
  } catch (thrown) {
    // Another may have been entered meanwhile.
    if (readKey() === key) forgetKey();
    throw thrown;
  }
}

function signOut() {
  forgetKey();
  // Who comes next is somebody else. The chat of the settings keeps its own.
  for (const storage of [localStorage, sessionStorage])
    for (const name of Object.keys(storage)) if (name.startsWith('porchlight')) storage.removeItem(name);
  drafts.value = {};
  madeKeys.value = [];
  canManage.value = undefined;
  notice.value = undefined;
  refusal.value = '';
  isRefused.value = false;
  isSignedIn.value = false;
}

/** A key may be taken back while it is used, and an agent be deleted. */
export function leaveIfRefused(thrown: unknown) {
  if (!(thrown instanceof ApiError)) return;
  if (thrown.code === 'invalid_api_key' && isSignedIn.value) {
    forgetKey();
    refusal.value = 'The key is not taken any more.';
    isRefused.value = true;
  }
  if (thrown.code === 'bot_not_found') loadBots().catch(() => {});
}

export async function loadBots() {
  try {
    await readBots();
    loadError.value = '';
  } catch (thrown) {
    loadError.value = (thrown as Error).message;
    throw thrown;
  }
}

async function readBots() {
  const [{ bots: found }, mayManage] = await Promise.all([
    call('GET', '/v1/bots', { per_page: mostBots }),
    call('GET', '/v1/plan').then(
      () => true,
      (thrown: ApiError) => {
        if (thrown.code !== 'forbidden') throw thrown;
        return false;
      },
    ),
  ]);
  canManage.value = mayManage;
  const isThere = found.some(({ id }: Answer) => id === botId.value);
  const beyond = isThere || botId.value === '' ? undefined : await find(botId.value);
  bots.value = beyond ? [...found, beyond] : found;
  if (isThere || beyond) return;
  const before = botId.value;
  if (isAnyWritten() || Object.keys(drafts.value[before] ?? {}).length > 0) {
    notice.value = {
      text: 'This agent is gone. What is written here stays until you choose another.',
      isError: true,
    };
    return;
  }
  forgetDraft(before);
  // The oldest is there longest.
  chooseBot(found.at(-1)?.id ?? '');
  if (before !== '')
    notice.value = { text: 'The agent that was here is gone. This is another.', isError: true };
}

/** Of an agent that is gone. */
export function forgetDraft(id: string) {
  const { [id]: _, ...others } = drafts.value;
  drafts.value = others;
}

async function find(id: string): Promise<Answer> {
  try {
    return (await call('GET', '/v1/bot/read', { bot_id: id })).bot;
  } catch (thrown) {
    if ((thrown as ApiError).code === 'bot_not_found') return undefined;
    throw thrown;
  }
}

/** What was wrong may be right by now, and what was saved another. */
export function forgetNews() {
  notice.value = undefined;
}

export function chooseBot(id: string) {
  botId.value = id;
  localStorage.setItem(botName, id);
}

/** Runs an action, and says what came of it. @returns whether it went well */
export async function act(done: string, work: () => Promise<unknown>): Promise<boolean> {
  const [where, whose] = [area.value, botId.value];
  const say = (text: string, isError: boolean) => {
    const agent = bots.value.find(({ id }) => id === whose);
    // None lies there while another is looked for.
    const isAnothers = agent !== undefined && botId.value !== '' && botId.value !== whose;
    // Elsewhere by now, one would take it for what was done there.
    if ((area.value !== where || isAnothers) && !isError) return;
    const said = { text: isAnothers ? `${agent.name}: ${text}` : text, isError };
    notice.value = said;
    if (!isError)
      setTimeout(() => {
        if (notice.value === said) notice.value = undefined;
      }, goodNewsMs);
  };
  try {
    await work();
    say(done, false);
    return true;
  } catch (thrown) {
    say(thrown instanceof Error ? thrown.message : 'That did not work.', true);
    leaveIfRefused(thrown);
    return false;
  }
}

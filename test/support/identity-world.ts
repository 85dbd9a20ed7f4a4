/**
 * Three tabs of one site, one storage, one channel and a helper, with the widget's identity machine in each tab. What one
 * tab stores of who is there the others may see later than its news, and than an opening at once.
 */
import { vi } from 'vitest';
import { toSaid } from '../../widget/state/clock.ts';
import { toTypist } from '../../widget/state/facts.ts';
import {
  createIdentity,
  type Happening,
  type Identity,
  type Source,
  type Todo,
  unknown,
  type Who,
} from '../../widget/state/happening.ts';
import { step } from '../../widget/state/identity.ts';
import { createUnsent, join, type Unsent } from '../../widget/state/unsent.ts';

/** How a site says who is there: by the tag of each page, by `identify(token)`, or by `identify(function)`. */
export type Site = 'tag' | 'call' | 'callback';

function createStorage(): Storage {
  const all = new Map<string, string>();
  return {
    getItem: (name: string) => all.get(name) ?? null,
    setItem: (name: string, value: string) => void all.set(name, value),
    removeItem: (name: string) => void all.delete(name),
  } as Storage;
}

/** Whose tokens the helper does not take: a guest, and still Eve’s alone. */
const refused = 'Eve';

export type Event = { tab: number; nth: number; as: string; act: (typeof acts)[number] };
export const acts = [
  ...([
    'go to',
    'open',
    'close',
    'reload',
    'sign in',
    'sign out',
    'clear',
    'write',
    'ask',
    'speak again',
  ] as const),
  ...([
    'reply',
    'reply',
    'reply',
    'reply',
    'fail',
    'refuse',
    'hear',
    'hear',
    'hear and open',
    'expire',
    'forget guests',
    'freeze',
    'set the clock back',
    'wait for long',
  ] as const),
];

/** Something that was asked: of whom the page then spoke, and the guest that was offered. */
type Pending = { todo: Todo; truth: Who; guest: string | undefined };
type Tab = {
  identity: Identity;
  isOpen: boolean;
  screen: string | undefined;
  /** Since which change of visitor the draft is there. */
  draft: number | undefined;
  /** Who wrote what stands in the composer. */
  words: Set<Who>;
  /** The same, while it was not known whose the chat is. */
  fresh: Set<Who>;
  /** Who typed a question, and who came after: what a guest asks goes along at sign-in. */
  held: { by: Who; after: Who[]; veil: number; line: string; isRefused?: boolean } | undefined;
  isFrozen: boolean;
  inbox: Extract<Todo, { do: 'tell' }>[];
  pending: Pending[];
  /** Its page is older than a change that nobody could note: the chat had never been used in this browser. */
  isUninformed: boolean;
  /** What this tab keeps over a reload while there is no session; what stands in the composer; the same under a veil. */
  unsent: Unsent;
  text: string;
  freshText: string;
  /** Written by who was known to be there, and not to be lost while that one stays. */
  owed: { line: string; changes: number } | undefined;
};
type Kept = {
  subject: string | undefined;
  who: Who;
  saidAt: number;
  guest?: string;
  was?: string | undefined;
  place?: number;
};

const setBackMs = 5_000;
const whileMs = 3_000;
/** Nobody signs out and another one in within less. */
const aWhileMs = 31_000;

export function createWorld(site: Site) {
  let now = 1_000_000;
  let setBacks = 0;
  const toClock = () => -setBacks * setBackMs;
  /** Who is signed in at the site, and how often that changed. */
  let truth: Who;
  let changes = 0;
  /** What is stored, and what each tab sees of it. */
  let kept: Kept | undefined;
  const views: (Kept | undefined)[] = [];
  let guests = 0;
  let current = 0;
  /** Panels that news of another tab closed. */
  let closed = 0;
  let wasUnnoted = false;
  const merged = new Set<string>();
  const forgotten = new Set<string>();
  const owners = new Map<string, string>();
  const faults: string[] = [];
  const counts = { asks: 0, openings: 0, sessions: 0, questions: 0, frames: 0 };
  const tabs: Tab[] = [];
  /** Of each tab, as it stays over a reload. */
  const tabStorages = [0, 1, 2].map(() => createStorage());
  let lines = 0;

  const speak = (index: number, isLoading = false) => {
    let source: Source = { kind: 'callback' };
    if (site !== 'callback' && truth === undefined) source = { kind: 'nobody' };
    if (site !== 'callback' && truth !== undefined)
      source = { kind: 'token', token: `${truth} at ${now}`, subject: truth };
    // A signed-out page of a site that speaks by its tags alone says nothing; the loader knows what that means.
    if (site === 'tag' && isLoading && truth === undefined && kept?.who === undefined) return;
    happen(index, { what: 'said', source, at: now });
  };
  /** As the session keeper tells it. */
  const readTypist = (index: number): Who => {
    const { identity } = tabs[index]!;
    const isUntold = identity.source.kind === 'unsaid' && views[index]?.who !== undefined;
    return isUntold ? unknown : toTypist(identity);
  };
  /** As `view/draft.ts` and the outbox keep what has no session yet. */
  const keepWords = (index: number, draft = tabs[index]!.text) => {
    const tab = tabs[index]!;
    // The outbox keeps what it holds in any case.
    if (tab.identity.shown && !tab.held) return;
    const text = join(tab.held?.line, tab.identity.shown ? '' : draft);
    const typist = readTypist(index);
    if (text === '') tab.unsent.empty();
    else tab.unsent.keep(text, typist === unknown ? views[index]?.who : typist, typist === unknown);
  };
  const put = (tab: Tab, text: string) => {
    tab.text = join(text, tab.text);
    for (const line of text.split('\n')) {
      const [writer] = line.split(' ');
      tab.words.add(writer === 'guest' ? undefined : writer);
    }
  };
  const load = (index: number, isReload = true) => {
    now += 1;
    const identity = createIdentity({ kind: 'unsaid' }, now, toClock());
    const empty = { isOpen: false, screen: undefined, draft: undefined, held: undefined, isFrozen: false };
    const words = new Set<Who>();
    const fresh = new Set<Who>();
    const unsent = createUnsent(
      'key',
      () => isReload,
      () => tabStorages[index]!,
    );
    const kept = { unsent, text: '', freshText: '', owed: tabs[index]?.owed };
    tabs[index] = { identity, ...empty, words, fresh, inbox: [], pending: [], isUninformed: false, ...kept };
    speak(index, true);
  };
  const keep = (index: number, next: Kept) => {
    if (kept?.place === changes && next.subject !== kept.subject && kept.guest === undefined)
      faults.push(`the place of ${kept.subject} is lost, though nobody else came`);
    kept = next;
    views[index] = next;
  };
  const toClaimed = (view: Kept | undefined, { who, at }: { who: Who; at: number }): Kept => {
    const isGuests = view?.guest !== undefined && (view.who === undefined || view.who === who);
    const stays = isGuests || view?.subject === who;
    return { subject: undefined, ...(stays ? view : {}), who, saidAt: at };
  };
  const catchUp = () => {
    for (const index of [0, 1, 2]) views[index] = kept;
  };
  const happen = (index: number, happening: Happening) => {
    const tab = tabs[index]!;
    now += 1;
    const { isOpen } = tab;
    const view = views[index];
    const around = { now, isOpen, isShown: isOpen, kept: view && { ...view }, clock: toClock() };
    const [identity, todos] = step(tab.identity, happening, around);
    const { shown, veiled, veils } = tab.identity;
    const veil = veiled ? veils : 0;
    tab.identity = identity;
    // What was typed under a veil is shown when it lifts, and goes when another falls.
    if (identity.veils !== veils) {
      tab.fresh.clear();
      tab.freshText = '';
    }
    if (!identity.veiled) {
      for (const writer of tab.fresh) tab.words.add(writer);
      tab.fresh.clear();
    }
    for (const todo of todos) {
      if (todo.do === 'open' && shown && identity.shown && !identity.expired) {
        const subject = todo.token?.split(' ')[0];
        if (subject === undefined ? shown.isGuest && !todo.reason : subject === shown.subject)
          faults.push(`a session is opened for ${shown.subject}, who has one`);
      }
      carryOut(index, tab, todo, veil);
    }
    tab.unsent.name(views[index]?.who, readTypist(index));
    const isSettled = identity.phase === 'settled' && !identity.veiled;
    if (isSettled) {
      tab.unsent.empty();
      if (tab.held) send(tab, tab.held.by, tab.held.after);
      tab.held = undefined;
      if (tab.owed?.changes === changes && !tab.text.includes(tab.owed.line))
        faults.push(`${tab.owed.line} is lost, though nobody else came`);
      tab.owed = undefined;
    }
    const wasText = tab.text;
    if (!identity.veiled && tab.freshText !== '') {
      tab.text = join(tab.text, tab.freshText);
      tab.freshText = '';
    }
    // Not by itself: how long it is kept begins when it is written.
    if (tab.text !== wasText || shown?.subject !== identity.shown?.subject) keepWords(index);
  };
  /** @param veil the one that was there before this step */
  const carryOut = (index: number, tab: Tab, todo: Todo, veil: number) => {
    switch (todo.do) {
      case 'drop':
        // The same guest, whose session the helper does not know any more, goes on writing.
        if (todo.isReset) {
          tab.screen = undefined;
          break;
        }
        // A guest who signs in and out again is another guest from then on.
        if (tab.draft === changes && (truth !== undefined || changes === 0))
          faults.push('a draft is lost, though nobody else came');
        // What was sent under the veil that lifts now is of whoever came; what was under an earlier one, where all is theirs.
        if (!tab.held?.veil || !(todo.isTheirs || tab.held.veil === veil) || !tab.isOpen || todo.closes)
          tab.held = undefined;
        Object.assign(tab, { screen: undefined, draft: undefined, text: '' });
        tab.words.clear();
        tab.unsent.empty();
        if (todo.closes) {
          tab.isOpen = false;
          closed += 1;
        }
        break;
      case 'claim':
        keep(index, toClaimed(views[index], todo));
        break;
      case 'tell':
        for (const other of tabs) if (other !== tabs[index] && !other.isFrozen) other.inbox.push(todo);
        break;
      case 'settle': {
        const { subject, isGuest, who } = tab.identity.shown!;
        const next: Kept = { subject, who, saidAt: todo.at };
        const view = views[index];
        if (isGuest) next.guest = subject;
        const isAnew = view?.guest !== undefined && view.guest !== subject;
        if (isGuest) next.was = isAnew ? `${view.was} ${view.guest}` : view?.was;
        if (!tab.isUninformed && view?.place !== undefined && (view.subject === subject || view.guest))
          next.place = view.place;
        keep(index, next);
        catchUp();
        const left = tab.unsent.take(who);
        if (left !== undefined) put(tab, left);
        break;
      }
      case 'resume':
        tab.screen = tab.identity.shown!.subject;
        break;
      case 'refuse':
        break;
      default:
        if (todo.do === 'ask') counts.asks += 1;
        if (todo.do === 'open') counts.openings += 1;
        tab.pending.push({ todo, truth, guest: views[index]?.guest });
    }
  };
  const reply = (index: number, { todo, truth: then, guest }: Pending) => {
    if (todo.do === 'ask') {
      const token = then === undefined ? undefined : `${then} at ${now}`;
      happen(index, { what: 'answered', ticket: todo.ticket, token, subject: then });
    } else if (todo.do === 'wait') happen(index, { what: 'silent', ticket: todo.ticket });
    else if (todo.do === 'retry') happen(index, { what: 'again', ticket: todo.ticket });
    else if (todo.do === 'open') {
      counts.sessions += 1;
      const { ticket } = todo;
      const who = todo.token?.split(' ')[0];
      if (who === refused) {
        happen(index, { what: 'refused', ticket, code: 'sso-token-invalid', mayPass: false });
        return;
      }
      const isOver = guest !== undefined && (merged.has(guest) || forgotten.has(guest));
      if (who !== undefined && guest !== undefined && !isOver) {
        merged.add(guest);
        // Who has gone by now did not sign in with it: it stays what a guest said.
        if (who === truth) owners.set(guest, who);
      }
      let subject = who ?? guest;
      if (who === undefined && (guest === undefined || isOver)) {
        guests += 1;
        subject = `guest-${guests}.`;
      }
      // What a guest says for one whose token is refused is that one's.
      if (todo.reason === 'token-refused' && tabs[index]!.identity.openedFor === truth && truth !== undefined)
        owners.set(subject!, truth);
      happen(index, { what: 'opened', ticket, subject: subject!, isGuest: who === undefined });
    }
  };
  /** A question typed by one, sent as another? */
  const send = (tab: Tab, by: Who, after: Who[] = []) => {
    counts.questions += 1;
    const { subject, who } = tab.identity.shown!;
    const isPresent = who === truth;
    if (kept?.subject === subject && isPresent && !tab.isUninformed) kept.place = changes;
    const isTheirs = who === undefined || who === by || (by === undefined && after.includes(who));
    if (!isTheirs && !tab.isUninformed) faults.push(`a question of ${by} is sent as ${subject}, for ${who}`);
  };
  const look = () => {
    const tab = tabs[current]!;
    const owner = tab.screen && (owners.get(tab.screen) ?? tab.screen);
    if (!tab.isOpen || tab.isUninformed) return;
    for (const writer of tab.identity.veiled ? tab.fresh : [...tab.words, tab.held?.by])
      if (writer !== undefined && writer !== truth) faults.push(`${truth} sees what ${writer} wrote`);
    if (owner === undefined || tab.identity.veiled) return;
    counts.frames += 1;
    if (!owner.startsWith('guest') && owner !== truth) faults.push(`${truth} sees what is ${owner}’s`);
  };
  const change = (index: number, next: Who, clears = false) => {
    if (next === truth) return;
    // What was written while nobody knew by whom is kept for less.
    vi.setSystemTime(Date.now() + aWhileMs);
    truth = next;
    changes += 1;
    for (const tab of tabs) tab.isUninformed ||= (!kept || wasUnnoted) && site !== 'callback';
    if (clears) {
      kept = undefined;
      catchUp();
      for (const [at, tab] of tabs.entries()) {
        if (at === index) continue;
        if (!tab.isFrozen) happen(at, { what: 'lost' });
        // At rest a page does not know that anything was ever kept; a frozen one hears of it too late.
        tab.isUninformed ||= tab.identity.source.kind === 'token' && tab.identity.phase !== 'settled';
      }
    }
    wasUnnoted = !kept;
    for (const tab of tabs) tab.held?.after.push(truth);
    if (site === 'tag') load(index, false);
    else {
      tabs[index]!.isUninformed = false;
      speak(index);
    }
  };
  const goTo = (index: number) => {
    if (index === current) return;
    happen(current, { what: 'left' });
    current = index;
    tabs[index]!.isFrozen = false;
    happen(index, { what: 'seen' });
  };
  const open = (index: number) => {
    const tab = tabs[index]!;
    // A page that nobody could tell of a change is out of reach: nothing may be kept before the first use.
    if (tab.isOpen || tab.isUninformed) return;
    tab.isOpen = true;
    // That it is open is stored, with all else that this tab sees.
    if (views[index]) keep(index, { ...views[index] });
    const { phase } = tab.identity;
    happen(index, {
      what: phase === 'rest' || phase === 'superseded' || phase === 'stuck' ? 'begin' : 'seen',
    });
  };
  const hear = (index: number) => {
    const news = tabs[index]!.inbox.shift();
    const view = views[index];
    // For a moment news counts as stored.
    if (view && news && !news.ask && toSaid(view.saidAt, now) < toSaid(news.at, now))
      views[index] = toClaimed(view, news);
    if (news) happen(index, { what: 'told', who: news.who, ask: news.ask, at: news.at });
  };

  const act = (event: Event) => {
    now += 1;
    // What is older than the clock was set back by cannot be told from what was said after that.
    if (event.act === 'wait for long' && setBacks > 0) now += whileMs;
    // News is heard within a moment: nobody sets a clock or clears all sooner, and no tab is frozen.
    if (['clear', 'set the clock back'].includes(event.act))
      for (const [at, { inbox }] of tabs.entries()) while (inbox.length > 0) hear(at);
    if (event.act === 'set the clock back') {
      // Once: of two settings between two of its steps a page knows the sum alone.
      if (setBacks === 0) now -= setBackMs;
      setBacks = 1;
      return;
    }
    const index = event.tab;
    const tab = tabs[index]!;
    if (!event.act.startsWith('hear')) catchUp();
    // Nothing happens in a page that is frozen, until its visitor is back.
    if (tab.isFrozen && ['reply', 'fail', 'refuse', 'hear', 'hear and open', 'expire'].includes(event.act))
      return;
    switch (event.act) {
      case 'reply':
      case 'refuse':
      case 'fail': {
        const [pending] = tab.pending.splice(event.nth % Math.max(1, tab.pending.length), 1);
        if (!pending) break;
        const { todo } = pending;
        // A token may be too old in one tab and fresh in the next.
        const isRefused = event.act === 'refuse' && todo.do === 'open' && todo.token !== undefined;
        if (isRefused)
          happen(index, {
            what: 'refused',
            ticket: todo.ticket,
            code: 'sso-token-expired',
            mayPass: false,
          });
        else if (event.act !== 'fail') reply(index, pending);
        else if (todo.do === 'ask') {
          // Nobody will ever know whose it was that was written meanwhile.
          if (!tab.identity.shown) Object.assign(tab, { draft: undefined, owed: undefined });
          if (tab.held) tab.held.by = undefined;
          happen(index, { what: 'failed', ticket: todo.ticket });
        } else if (todo.do === 'open')
          happen(index, { what: 'refused', ticket: todo.ticket, code: 'offline', mayPass: true });
        else reply(index, pending);
        break;
      }
      case 'hear':
        hear(index);
        break;
      case 'hear and open':
        while (tab.inbox.length > 0) hear(index);
        goTo(index);
        open(index);
        break;
      case 'expire':
        happen(index, { what: 'expired' });
        break;
      case 'forget guests':
        for (let guest = 1; guest <= guests; guest += 1) forgotten.add(`guest-${guest}.`);
        break;
      case 'freeze':
        if (index !== current) tab.isFrozen = true;
        break;
      default: {
        // All else is the visitor's doing, who has to be there.
        goTo(index);
        if (event.act === 'open') open(index);
        if (event.act === 'close') tab.isOpen = false;
        if (event.act === 'reload') load(index);
        if (event.act === 'sign in') change(index, event.as);
        if (event.act === 'sign out') change(index, undefined);
        if (event.act === 'clear') change(index, undefined, true);
        if (event.act === 'speak again') speak(index, true);
        if (event.act === 'write' && tab.isOpen && !tab.isUninformed) write(index, tab);
        if (event.act === 'write' && tab.isOpen && !tab.identity.veiled && isKnown(tab)) tab.draft = changes;
        if (event.act === 'ask' && tab.isOpen && !tab.held && tab.identity.phase !== 'superseded') {
          if (tab.identity.phase === 'settled' && !tab.identity.veiled) send(tab, truth);
          else {
            const { veiled, veils } = tab.identity;
            const by = tab.isUninformed ? undefined : truth;
            tab.held = { by, after: [truth], veil: veiled ? veils : 0, line: toLine() };
            // One place: what is asked under a veil takes it from what is written there, which may be another's.
            if (veiled) tab.owed = undefined;
            keepWords(index, veiled ? '' : tab.text);
          }
        }
      }
    }
    look();
  };
  const toLine = () => {
    lines += 1;
    return `${truth ?? 'guest'} ${lines}.`;
  };
  const write = (index: number, tab: Tab) => {
    const line = toLine();
    const { veiled, shown } = tab.identity;
    (veiled ? tab.fresh : tab.words).add(truth);
    if (veiled) {
      tab.freshText = join(tab.freshText, line);
      return;
    }
    tab.text = join(tab.text, line);
    keepWords(index);
    // Before its page has answered it is taken for whose it was last.
    const last = views[index]?.who;
    if (!shown && isKnown(tab) && (last === undefined || last === truth)) tab.owed = { line, changes };
  };
  /** Whoever writes before anything is known, in a page older than a change, may be anybody: such a draft may go. */
  const isKnown = ({ identity: { source, phase, typists, earlier }, isUninformed }: Tab) => {
    const who = source.kind === 'token' ? source.subject : undefined;
    return (
      !isUninformed &&
      (source.kind === 'callback'
        ? phase !== 'stuck' && earlier.length === 0 && typists.every((one) => (one ?? truth) === truth)
        : who === truth)
    );
  };
  for (const index of [0, 1, 2]) load(index);

  return {
    act,
    faults,
    counts,
    get closed() {
      return closed;
    },
    /** News goes round and the page answers, in any order, while the helper does not. */
    wait(order: readonly Event[]) {
      for (const event of order) {
        const nth = tabs[event.tab]!.pending.findIndex(({ todo }) => todo.do === 'ask');
        if (event.act === 'hear') act(event);
        else if (nth >= 0) act({ ...event, nth });
      }
    },
    /** All that is under way comes to its end, and the visitor opens the chat in each tab. */
    finish() {
      for (const index of [0, 1, 2]) {
        catchUp();
        goTo(index);
        open(index);
        for (let rounds = 0; rounds < 80; rounds += 1)
          for (const at of [0, 1, 2]) {
            act({ tab: at, nth: 0, as: '', act: 'hear' });
            act({ tab: at, nth: 0, as: '', act: 'reply' });
          }
        const { phase, shown } = tabs[index]!.identity;
        const who = shown?.who;
        const isRight =
          phase === 'settled'
            ? who === truth
            : // A page whose token is too old, or another's, says that it is to be reloaded.
              (site !== 'callback' && ['superseded', 'stuck'].includes(phase)) || !tabs[index]!.isOpen;
        if (!isRight && !tabs[index]!.isUninformed)
          faults.push(`in the end tab ${index} is ${phase} as ${who}, and ${truth} is there`);
      }
    },
  };
}

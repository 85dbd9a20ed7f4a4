/** Who is there, as one machine: what was known and what happens give what is known next and what is to be done. Pure. */
import type { WidgetCode } from '../errors.ts';
import { toComparable } from './clock.ts';
import * as facts from './facts.ts';
import type { Around, GuestReason, Happening, Identity, Phase, Todo, Who } from './happening.ts';
import { unknown } from './happening.ts';

export function step(before: Identity, happening: Happening, around: Around): [Identity, Todo[]] {
  const { now } = around;
  const { state, kept, at } = toComparable(before, happening, around);
  const todo: Todo[] = [];
  const keptWho = kept?.who;
  const toOwnWho = () => facts.toOwnWho(state);
  const isResting = () => state.phase === 'rest' || state.phase === 'waiting';
  const to = (phase: Phase) => {
    state.phase = phase;
    state.ticket += 1;
  };
  const ask = () => {
    // Who was there before will never be told.
    if (state.isUnanswered && state.isLeft) state.typists = [...state.typists, unknown];
    // Whatever it answers, however late, is as of now.
    Object.assign(state, { isLeft: false, saidAt: now, named: unknown });
    to('asking');
    todo.push({ do: 'ask', ticket: state.ticket });
  };
  const veil = () => Object.assign(state, { veiled: true, veils: state.veils + 1 });
  /** Somebody else may have come: what was asked before tells only whose is what was typed until now. */
  const askAnew = () => {
    veil();
    if (state.answer) state.typists = [...state.typists, state.answer.subject];
    else if (state.phase === 'asking') state.earlier = [...state.earlier, state.ticket];
    else if (state.isUnanswered) state.typists = [...state.typists, unknown];
    Object.assign(state, { answer: undefined, isUnanswered: false });
    ask();
  };
  const open = (token?: string, who?: Who, reason?: GuestReason, refusal?: WidgetCode) => {
    to('opening');
    Object.assign(state, { offered: kept?.subject, openedFor: who, refusal });
    todo.push({ do: 'open', ticket: state.ticket, token, reason });
  };
  const start = () => {
    if (state.source.kind === 'callback') return ask();
    if (isOutdated(toOwnWho())) return giveWay();
    if (!state.shown) state.typists = [...state.typists, facts.readWho(state.source)];
    if (state.source.kind === 'token') return open(state.source.token, state.source.subject);
    if (state.source.kind === 'nobody' || state.shown || keptWho === undefined) return open();
    // One who was signed in would be taken for a guest, and lose the place, until the page says who is there.
    to('waiting');
    todo.push({ do: 'wait', ticket: state.ticket });
  };
  const stick = (code: WidgetCode, mayPass: boolean) => {
    to('stuck');
    todo.push({ do: 'refuse', code });
    if (!mayPass) return;
    state.failures += 1;
    todo.push({ do: 'retry', ticket: state.ticket, failures: state.failures });
  };
  const settle = () => {
    to('settled');
    Object.assign(state, { typists: [], veiled: false });
  };
  const drop = (closes = false, isReset = false, isTheirs = false, ended?: Who) => {
    Object.assign(state, facts.nobodyShown);
    todo.push({ do: 'drop', closes, isReset, isTheirs, ended });
  };
  const tell = (who: Who) => {
    // Where nothing is kept yet, two tabs would tell each other the same without end.
    if (kept || state.told !== who) todo.push({ do: 'tell', who, ask: false, at: state.saidAt });
    state.told = who;
  };
  /** In what is kept, if the chat was ever used, and in all tabs. */
  const claim = (who: Who) => {
    if (kept && kept.saidAt > state.saidAt) return;
    if (kept || state.shown) todo.push({ do: 'claim', who, at: state.saidAt });
    if (!kept || keptWho !== who) tell(who);
  };
  /** Another page of the site has spoken later, and named somebody else: the visitor is there unless here. */
  const yieldTo = (who: Who, saidAt: number) => {
    const isElsewhere = /told|seen|lost/.test(happening.what);
    if (state.phase !== 'rest') drop(isElsewhere);
    if (who !== undefined && state.source.kind !== 'callback') {
      to('superseded');
      state.typists = [who];
      return void todo.push({ do: 'refuse', code: 'sso-token-expired' });
    }
    if (state.source.kind !== 'callback') state.source = { kind: 'nobody' };
    state.saidAt = saidAt;
    to('rest');
    if (!isElsewhere) start();
  };
  const isGuestStill = (who: Who) => facts.isSameGuest(state, kept, who);
  const isOutdated = (who: Who) => kept !== undefined && kept.saidAt > state.saidAt && keptWho !== who;
  const giveWay = () => yieldTo(keptWho, kept?.saidAt ?? now);
  /** Now it is known who is there: the same as shown, a guest who signed in, or another. */
  const turnTo = (token: string | undefined, who: Who) => {
    const isTyped = facts.isTypedBy(state, who);
    const isSame = token === undefined ? isGuestStill(undefined) : facts.shows(state, who);
    if (isSame && isTyped && !state.expired) return settle();
    const isOther = !isTyped || (state.shown !== undefined && !isSame && !isGuestStill(who));
    const ended = facts.findEnded(state, who);
    if (isOther) drop(false, false, isTyped, ended);
    state.typists = [who];
    if (state.shown?.isGuest && who !== undefined) state.givenTo = who;
    // What was not dropped is theirs.
    state.veiled = false;
    if (!isOther || around.isOpen) return open(token, who, ended ? 'sign-in-ended' : undefined);
    to('rest');
  };
  /** In another tab a token of this visitor's was taken: what was said here as a guest is theirs, the session too. */
  const joinIfTaken = (): boolean => {
    if (!facts.isTaken(state, kept)) return false;
    state.veiled = false;
    start();
    return true;
  };
  /** What is being asked was asked too early; what is settled and out of sight is asked when it is seen. */
  const askIfSeen = () => {
    if (isResting()) return;
    if (around.isShown || state.phase !== 'settled') askAnew();
    else veil();
  };
  switch (happening.what) {
    case 'said': {
      const { source } = happening;
      const isAskedFor = state.phase === 'opening' && facts.isSameSource(source, state.source);
      Object.assign(state, { source, saidAt: at, refusedOnce: false });
      if (source.kind === 'callback') todo.push({ do: 'tell', who: undefined, ask: true, at });
      else claim(facts.readWho(state.source));
      // What the page's own calls have asked for meanwhile was for whom it named then.
      if (facts.isNamedAnew(before, source)) drop();
      if (state.phase === 'rest') break;
      if (source.kind === 'callback') askAnew();
      else if (!isAskedFor) {
        // The page never said who it was that typed meanwhile: the one who was there last, as far as anybody knows.
        if (state.phase === 'asking') state.typists = [...state.typists, keptWho];
        turnTo(facts.tokenOf(source), facts.readWho(state.source));
      }
      break;
    }
    case 'begin':
      if (state.phase === 'superseded') to('rest');
      // From the first use on, or other pages would tell nobody who comes while the session opens.
      if (!kept) todo.push({ do: 'claim', ...facts.toFirstWord(state) });
      if (state.phase === 'rest' || state.phase === 'stuck') start();
      break;
    case 'left':
      // A draft or a question may be there before any session is.
      if (state.phase !== 'rest') veil();
      Object.assign(state, { isLeft: true, leftTicket: state.ticket });
      break;
    case 'seen':
      if (state.source.kind === 'callback') askIfSeen();
      else if (state.phase === 'superseded') {
        if (state.typists.includes(keptWho)) state.veiled = false;
        else giveWay();
      } else if (!isResting() && !joinIfTaken()) {
        if (isOutdated(toOwnWho()) || !facts.isTheirs(state, kept)) giveWay();
        else state.veiled = false;
      }
      break;
    case 'lost':
      if (state.source.kind === 'callback') askIfSeen();
      else if (!isResting()) giveWay();
      break;
    case 'told': {
      if (!happening.ask) state.told = happening.who;
      if (isResting()) break;
      const isCallback = state.source.kind === 'callback';
      // What has been asked since is answered as of later. It may be this page's own note, too.
      if (happening.ask && isCallback && at > state.saidAt) askIfSeen();
      if (happening.ask || joinIfTaken()) break;
      // The news may be old by now.
      const { who, saidAt } = kept && kept.saidAt >= at ? kept : { who: happening.who, saidAt: at };
      if (saidAt <= state.saidAt || who === toOwnWho()) break;
      if (!isCallback || who === undefined) yieldTo(who, saidAt);
      else if (who !== state.named) askIfSeen();
      break;
    }
    case 'answered':
    case 'failed': {
      const answer = happening.what === 'answered' ? happening : undefined;
      if (facts.noteAnswer(state, happening.ticket, answer) && !answer) stick('offline', true);
      if (!state.answer || state.earlier.length > 0) break;
      const { token, subject } = state.answer;
      state.answer = undefined;
      claim(subject);
      turnTo(token, subject);
      break;
    }
    case 'opened': {
      if (happening.ticket !== state.ticket) break;
      const { subject, isGuest } = happening;
      // One whose token is refused is still who pages say is there, and a guest of that one's alone.
      const who = isGuest ? state.openedFor : subject;
      const isSecond = isGuest && keptWho === who && facts.isSecondGuest(state, kept, subject);
      // And the guest who was offered with it; where nothing is ever kept, none was.
      const isCleared = !kept && state.offered !== undefined;
      if (isCleared || isSecond || isOutdated(who)) {
        start();
        break;
      }
      const was = state.shown;
      const isOther = was !== undefined && was.subject !== subject;
      if (isOther && (isGuest || !facts.isGivenTo(state, kept, subject))) drop(false, was.isGuest && isGuest);
      const shown = { subject, isGuest, who };
      Object.assign(state, { shown, givenTo: undefined, expired: false, refusedOnce: false, failures: 0 });
      state.saidAt = Math.max(state.saidAt, kept?.saidAt ?? 0);
      settle();
      todo.push({ do: 'settle', at: state.saidAt });
      if (keptWho !== who || (!isGuest && kept?.subject !== subject)) tell(who);
      if (!was || isOther) todo.push({ do: 'resume' });
      break;
    }
    case 'refused': {
      if (happening.ticket !== state.ticket) break;
      if (!happening.code.startsWith('sso-token-')) stick(facts.toCode(state, happening), happening.mayPass);
      else if (state.source.kind === 'callback' && !state.refusedOnce && !facts.isRefusedGuest(state)) {
        state.refusedOnce = true;
        ask();
      }
      // In mid-chat the customer does not become a guest: the chat waits for a fresh token.
      else if ((state.shown && !state.shown.isGuest) || (kept?.subject && kept.subject === state.openedFor))
        stick('sso-token-expired', false);
      else open(undefined, state.openedFor, 'token-refused', happening.code);
      break;
    }
    case 'expired':
      if (state.phase !== 'settled') break;
      state.expired = true;
      start();
      break;
    case 'silent':
      if (happening.ticket !== state.ticket) break;
      // Who typed meanwhile may have gone.
      if (state.leftTicket === state.ticket) drop();
      state.source = { kind: 'nobody' };
      if (!isOutdated(undefined)) {
        state.saidAt = now;
        claim(undefined);
      }
      start();
      break;
    case 'again':
      // A closed chat keeps asking nobody: it is asked when it is opened.
      if (happening.ticket === state.ticket && around.isShown) start();
      break;
  }
  return [state, todo];
}

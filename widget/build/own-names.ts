/**
 * For the build: properties of the widget's own, or of Preact's, that nothing outside of it reads and no storage keeps, which
 * the minifier may shorten, in all files alike: the most used first. What stands on the wire, in the page's side or in the browser's own objects is not here.
 */
export const names = `
  current tokens other ticket saidAt phase shown typists what isOpen memory veil known conversation pause entry
  isGuest veiled sessions loose align onGrow cause path lastEventId isBusy token request isDock lost owner earlier
  forget inlineTokens late clock isWide isDropped spoken strings expired visit tabs screen begin openedFor givenTo
  failures happen backs isUnanswered refused named keepDraft isSettled release setOpen problem follow isReady
  onTakenBack refusedOnce hasOlder followedBy isShown loadOlder resume refuse lheading readKept onLost endAll giveBack
  situation veils isLeft leftTicket offered told componentWillUnmount shouldComponentUpdate getChildContext
  onNextFrame silent isReset publish leave reflink takeBack focuses isBegun setBackMs startNew toRequest guestReason
  closes side blockquoteSetextReplace2 oldest settled isFollowed holds quiet refusal drop onAccepted keeps onSent
  takeUp giveUp field makeId ended typist mayPass onOpen emit nolink readSaid readVeil fromEndPx occasion failure
  outbox reloadOrSay sendStop toCurrent readAt headingDepth codeButtons overAt autolink blockquote fences punctuation codespan paragraph taskDone taskOpen tools reasoning unsent onRead claim hear refresh hold toCall
  isOpenHere onEnded onBack onEvent holdAgain refuseHeld cutFrom setIdentity toPage isReadersOwn isWaiting meet
  isActive`
  .trim()
  .split(/\s+/);

/** One letter, then two, of which nobody makes a word: `findTaken` tells those that are somebody else's all the same. */
const letters = 'ABDEFGHIJKLMOPQRTVWXYZ';
const pairs = [...'ABDEFGHI'].flatMap((one) => [...'abcdefghijklmnopqrstuvwxyz'].map((other) => one + other));
const shorts = [...letters, ...pairs].slice(0, names.length);

/** Terser's own form of it: the same in each file, whichever is minified first. */
export const ownNames = {
  regex: new RegExp(`^(?:${names.join('|')})$`),
  cache: { props: { props: Object.fromEntries(names.map((name, index) => [`$${name}`, shorts[index]])) } },
};

const property = new RegExp(`\\.(${shorts.join('|')})\\b|[{,]\\s*(${shorts.join('|')}):`, 'g');

/** @returns a short name that is a property in the code already, before the minifier gives it to another */
export function findTaken(code: string): string | undefined {
  const [found] = code.matchAll(property);
  return found?.[1] ?? found?.[2];
}

const styles = 'accent bad dock-width edge fill ground ink line offset on-fill raised ring shade soft'.split(
  ' ',
);

/** Custom properties of the widget's own. A page's reach into a shadow root too: the few that are not always set there have digits for names. */
export const shortenStyles = (code: string): string =>
  code.replace(/--_pl-([\w-]+)/g, (whole, name) => {
    if (!styles.includes(name)) throw new Error(`${whole} is not among the styles of own-names.ts: add it`);
    return `--_${styles.indexOf(name).toString(36)}`;
  });

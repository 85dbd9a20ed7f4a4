/**
 * For the build: properties of the widget's own, or of Preact's, that nothing outside of it reads and no storage keeps, which
 * the minifier may shorten, in all files alike: the most used first. What stands on the wire, in the page's side or in the browser's own objects is not here.
 */
export const names = `
  what memory current tokens forget other ticket phase saidAt shown typists isOpen veil entry known isGuest sessions veiled loose align
  path onGrow isDock lastEventId lost inlineTokens cause named resume late owner clock isWide isDropped keepDraft
  visit silent tabs screen isSettled begin release openedFor givenTo refuse setOpen failures happen backs problem
  follow isReset isReady onTakenBack refusedOnce isUnanswered lheading readKept publish leave onLost hasOlder endAll
  giveBack situation veils isLeft leftTicket offered told componentWillUnmount reflink drop shouldComponentUpdate
  getChildContext isBusy onAccepted takeBack focuses isBegun setBackMs startNew toRequest guestReason closes keeps
  side blockquoteSetextReplace2 oldest settled onSent takeUp onRead giveUp isFollowed followedBy field makeId ended
  typist settling mayPass onOpen claim hear refresh emit hold nolink readSaid readVeil fromEndPx onNextFrame isShown occasion
  isFailed toCall isOpenHere outbox onEnded onBack onEvent reloadOrSay holdAgain refuseHeld sendStop cutFrom toCurrent
  readAt setIdentity headingDepth codeButtons toPage isReadersOwn isWaiting meet isActive isChosen expire recheck overAt
  spoken holds conversation earlier request refused expired loadOlder quiet refusal`
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

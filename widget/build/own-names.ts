/**
 * For the build: properties of the widget's own, or of Preact's, that nothing outside of it reads and no storage keeps, which
 * the minifier may shorten, in all files alike: the most used first. What stands on the wire, in the page's side, in the loader or in the browser's own objects is not here.
 */
export const names = `
  shown sessions what saidAt isOpen known entry conversation isGuest ticket pause current loose veil tokens other
  veiled align typists memory phase side cause path unsent earlier focuses follow cutFrom fences forget isBusy refuse
  field tools clock lost hear visit blockquote nolink release setIdentity told happen screen begin holdAgain givenTo
  takeUp onSent giveBack isUnanswered onEnded isWide punctuation reflink isBegun readKept shouldComponentUpdate
  isSettled owner isReady onTakenBack overAt spoken setOpen loadOlder resume getChildContext endAll
  blockquoteSetextReplace2 componentWillUnmount giveUp onAccepted expired problem lheading situation publish isLeft
  leftTicket offered autolink onOpen onNextFrame oldest isReadersOwn occasion holds inlineTokens openedFor strings
  isShown lastEventId isReset takeBack tabs setBackMs startNew closes guestReason followedBy refresh backs isDropped
  makeId isFollowed keeps quiet refusal emit taskOpen late codespan refused toRequest claim hold leave toCurrent
  settled sendStop mayPass typist drop silent readSaid isDock fromEndPx chosen failure headingDepth reloadOrSay
  paragraph request readAt outbox isActive refusedOnce taskDone keepDraft token onGrow toCall veils named onEvent
  reasoning refuseHeld onBack readVeil failures isOpenHere onLost isWaiting meet codeButtons toPage ended onRead`
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

/**
 * For the build: properties of the widget's own, or of Preact's, that nothing outside of it reads and no storage keeps, which
 * the minifier may shorten, in all files alike. What stands on the wire, in the page's side or in the browser's own objects is not here.
 */
export const names = `
  ticket typists phase isGuest veiled veils refusedOnce isUnanswered openedFor givenTo setBackMs isLeft leftTicket
  isSettled isReset guestReason ended typist settling isChosen expire recheck closes silent offered path known problem
  refuse named told keeps side mayPass componentWillUnmount current cause entry tokens loose blockquoteSetextReplace2
  lheading reflink toPage onOpen oldest setOpen lost claim begin resume drop late field hear shouldComponentUpdate
  getChildContext owner refresh readKept isBusy outcome emit hold publish follow clock screen lastEventId saidAt release
  visit leave settled nolink shown isActive readSaid readVeil isReady onTakenBack onAccepted onLost onSent onGrow onSeen
  fromEndPx isReadersOwn occasion isFailed focuses toCall failures happen meet isOpenHere isOpen isDock isWide giveBack
  veil sessions outbox backs takeUp onBack onEnded onRead onEvent makeId isWaiting hasOlder startNew takeBack
  reloadOrSay refuseHeld holdAgain giveUp sendStop cutFrom endAll isFollowed followedFor isDropped situation toRequest
  toCurrent accept isBegun readAt setIdentity keepDraft tabs inlineTokens other align headingDepth codeButtons`
  .trim()
  .split(/\s+/);

const toShort = (index: number) => `_${index.toString(36)}`;

/** Terser's own form of it: the same in each file, whichever is minified first. */
export const ownNames = {
  regex: new RegExp(`^(?:${names.join('|')})$`),
  cache: { props: { props: Object.fromEntries(names.map((name, index) => [`$${name}`, toShort(index)])) } },
};

const styles = 'accent bad dock-width edge fill ground ink line offset on-fill raised ring shade soft'.split(
  ' ',
);

/** Custom properties of the widget's own. A page's reach into a shadow root too: the few that are not always set there have digits for names. */
export const shortenStyles = (code: string): string =>
  code.replace(/--_pl-([\w-]+)/g, (whole, name) => {
    if (!styles.includes(name)) throw new Error(`${whole} is not among the styles of own-names.ts: add it`);
    return `--_${styles.indexOf(name).toString(36)}`;
  });

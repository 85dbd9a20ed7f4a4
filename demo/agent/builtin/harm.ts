/** Somebody is in danger: no page is quoted before that has been said. */

/** `self`: somebody thinks of ending a life, their own or another's; `person`: somebody is hurt or ill; `fire`: something burns or has blown up. */
export type Harm = 'self' | 'person' | 'fire';

const self =
  /\b(kill|hurt|harm|hang|cut|shoot|poison|drown)(s|t?ing|ed)? (my|him|her|your|them|our) ?sel(f|ves)\b|\b(cut|slit)(ting)? (my|his|her|their) wrists?\b|\bcan(['’]?t| ?not) go on( (any ?more|like this|living)\b|\W*$)|\bsuicid\w*|\b(want|wish|going|ready) to die\b|\bend(ing)? ((my|his|her|their) (own )?life|it all)\b|\b(do(es)?n['’]?t|do(es)? not|no longer|not) (want|wish)( to)? (live|liv(e|ing)|be alive|be here)( any ?more)?\b|\b(not|n['’]?t) worth living\b|\btired of (living|life)\b|\bpoint (of|in) (living|going on)\b|\b(nobody|no ?one) (would|will|['’]ll) miss me\b|\bwish i (was|were) dead\b|\bno reason to live\b/i;
/** Meant, and not asked of a thing: "can gas kill people" is answered by a page. */
const others =
  /\b(how (to|do i|can i|could i)|(want(ing)?|going|plan(ning)?|need) to|i (will|could|am)|i['’](ll|m)|ways? to|best way to) (kill|murder|poison|stab|strangle|shoot|hurt)(ing)? (some(one|body)|people|(a|my|the|our|his|her) (man|woman|person|kids?|child(ren)?|wife|husband|girlfriend|boyfriend|ex|boss|mother|father|mum|mom|dad|brother|sister|son|daughter|baby|friend|neighbou?r)|him|her|them)\b/i;
/** Nobody asks of these which animal is meant. */
const people =
  /\b(i|i['’]?ve|i['’]?m|we|we['’]?ve|we['’]?re|((my|the|our|a|your) )?(kids?|child(ren)?|boys?|girls?|girlfriend|boyfriend|son|daughter|baby|toddler)|((my|the|our|a) )?(friend|wife|husband|mother|father|mum|mom|dad|brother|sister|partner|grand\w+)|somebody|someone|everybody|everyone|all of us|a (man|woman|child|person))\b/i;
const animal = /\b(dog|cat|puppy|kitten|rabbit|pet|hamster|guinea pig|vet)\b/i;
const hurt =
  /\b(swallowed|drank|ate|eaten)\b.*\b(wax|battery|fuel|gas|soap|detergent|spray|pills?|tablets?|medicine|poison\w*|plastic|silica|packet|button|coin|bead|something|magnet|glue|canister|kit)\b|\b(unconscious|not breathing|can['’]?t breathe|won['’]?t wake|passed out|fainted|chok(ed|ing)(?! on (the|your|my) (price|bill|cost))|poisoned|bleeding|having (a (fit|seizure|stroke|heart attack)|an allergic reaction)|overdos(e|ed|ing)|took (all|too many|a lot of|a bottle of)\b.{0,20}\b(pills?|tablets?|medicine)|(cut|sliced|slit) (my|his|her|their|our) (\w+ )?(hands?|fingers?|thumbs?|arms?|legs?|foot|feet|toes?|face|head|throat|wrists?)\b|(stopped|isn['’]?t|no longer) breathing|cannot breathe|chest pains?|collapsed|carbon monoxide poison\w*|feel(s|ing)? (\w+ )?(dizzy|faint|sick(?! (of|about|and tired)))|burn(ed|t) (my|his|her|their|our) (\w+ )?(hands?|arms?|legs?|foot|feet|fingers?|face|skin|mouth|tongue|lips?|eyes?|back|hair|kid|child|son|daughter|baby)|(is|was|got|are|were|has been) (badly |seriously )?(burn(ed|t)|hurt|injured|poisoned)|(has|have|got) (a|some) (\w+ )?burns?|broke (my|his|her) (leg|arm)|severe burn|(bitten|stung) by a (snake|spider|scorpion))\b/i;

/** Whoever says so may have no time for more words. */
const fire =
  /\b(is|are|just|has|have|['’]s) (on|caught) fire\b|\bcaught fire\b|\bthere(['’]?s| is) (a )?fire\b|^\W*(help\W+)?fire\W*$|^\W*(help\W+)?fire in (my|the|our)\b|\b(exploded|is exploding|blew up)\b|\bflames? (is|are) coming (out|from)\b/i;
/** It is over, and asked what becomes of the thing. */
const ofThing =
  /\b(cover(ed|s)?|warrant\w*|guarantee|return|refund|replace\w*|repair\w*|patch|fix|exchange)\b/i;
const unwell = String.raw`\b(?:headaches?|(?:am|is|are|was|were|feel(?:s|ing)?|get(?:s|ting)?|got|['’](?:m|s|re)) (?:\w+ (?:and )?)?(?:sleepy|drowsy|dizzy|nauseous))\b`;
const burning = String.raw`\b(?:stove|heater|burner|gas|tent)\b`;
const alarm = String.raw`\b(?:co|carbon monoxide|gas) (?:alarm|detector)\b.*\b(?:(?:going|goes|went) off|(?:is|keeps) beeping)\b`;
/** What carbon monoxide does first. */
const fumes = new RegExp(`${unwell}.*${burning}|${burning}.*${unwell}|${alarm}`, 'i');

/** Where the pages speak of animals, "he" may be one. */
const anybody = new RegExp(String.raw`${people.source}|\b(?:s?he|s?he['’]s)\b`, 'i');

/** Said with nobody named. */
const alone = /^\W*(help\W+)?(not breathing|(can['’]?t|cannot) breathe|chest pains?)\b/i;

/** Said of somebody: "the stove is not breathing" is nobody's. */
const [hurtPerson, hurtAnybody] = [people, anybody].map(
  (who) => new RegExp(`(?:${who.source})[^.?!]{0,40}?(?:${hurt.source})`, 'i'),
) as [RegExp, RegExp];

/**
 * @param isOfAnimals the site's pages speak of animals: then "he" may be one
 * @returns undefined for what harms nobody, and for animals, whose pages say what to do
 */
export function readHarm(text: string, isOfAnimals = false): Harm | undefined {
  if (self.test(text) || others.test(text)) return 'self';
  const isPersons = [fumes, ...(isOfAnimals ? [hurtPerson] : [hurtAnybody, alone])].some((sign) =>
    sign.test(text),
  );
  if (isPersons && !animal.test(text)) return 'person';
  return fire.test(text) && !ofThing.test(text) ? 'fire' : undefined;
}

export function toHarm(harm: Harm): string {
  switch (harm) {
    case 'self':
      return 'I am a program and cannot help with this, but people can, now. If you or somebody else is in danger, call the emergency number, 112 or 911. In the US and Canada you can call or text 988 at any hour; elsewhere, findahelpline.com lists who listens.';
    case 'person':
      return "Call the emergency number first: 112 or 911. Where gas or a stove may be the cause, get into fresh air at once. For something swallowed, a poison center can tell you what to do; in the US it is 1-800-222-1222. I am a program and can only quote this site's pages.";
    case 'fire':
      return "Get away from it, and call the emergency number: 112 or 911. I am a program and can only quote this site's pages.";
  }
}

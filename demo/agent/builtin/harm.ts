/** Somebody is in danger: no page is quoted before that has been said. */

/** `self`: somebody thinks of ending their life; `person`: somebody is hurt or ill. */
export type Harm = 'self' | 'person';

const self =
  /\b(kill|hurt|harm|hang|cut) (myself|my self)\b|\bsuicid\w*|\b(want|wish|going|ready) to die\b|\bend (my life|it all)\b|\bwish i (was|were) dead\b|\bno reason to live\b/i;
const people =
  /\b(i|i['’]?ve|i['’]?m|((my|the|our|a|your) )?(kids?|child(ren)?|son|daughter|baby|toddler)|(my|the|our) (friend|wife|husband|mother|father|mum|mom|dad|brother|sister|partner|grand\w+)|somebody|someone|a (man|woman|child|person))\b/i;
const animal = /\b(dog|cat|puppy|kitten|rabbit|pet|hamster|guinea pig|vet)\b/i;
const hurt =
  /\b(swallowed|drank|ate|eaten)\b.*\b(wax|battery|fuel|gas|soap|detergent|spray|pills?|tablets?|medicine|poison\w*|plastic|something|magnet|glue|canister|kit)\b|\b(unconscious|not breathing|can['’]?t breathe|won['’]?t wake|passed out|fainted|chok(ed|ing)|poisoned|bleeding|having a (fit|seizure|heart attack)|feel(s|ing)? (\w+ )?(dizzy|faint|sick)|burn(ed|t) (my|his|her|their|our)|(is|was|got|are|were|has been) (badly |seriously )?(burn(ed|t)|hurt|injured|poisoned)|broke (my|his|her) (leg|arm)|severe burn)\b/i;

/** Said of the person: "he swallowed it, what should I do" may be about a dog. */
const hurtPerson = new RegExp(`${people.source}[^.?!]{0,40}?(?:${hurt.source})`, 'i');

/** @returns undefined for what harms nobody, and for animals, whose pages say what to do */
export function readHarm(text: string): Harm | undefined {
  if (self.test(text)) return 'self';
  return hurtPerson.test(text) && !animal.test(text) ? 'person' : undefined;
}

/** @param ways how to reach a person of the site, as markdown */
export function toHarm(harm: Harm, ways: string): string {
  return harm === 'self'
    ? 'I am a program and cannot help with this, but people can, now. If you are in danger, call the emergency number, 112 or 911. In the US and Canada you can call or text 988 at any hour; elsewhere, findahelpline.com lists who listens.'
    : `Call the emergency number first: 112 or 911. For something swallowed, a poison center can tell you what to do; in the US it is 1-800-222-1222. I am a program and can only quote this site's pages.${ways}`;
}

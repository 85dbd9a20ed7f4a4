/** Small talk, in any length, and what is said to it. */

import { toTerms } from '../retrieval/terms.ts';
import { toWords } from '../retrieval/words.ts';
import { toReach } from './point.ts';

export type Talk =
  | 'greeting'
  | 'thanks'
  | 'goodbye'
  | 'mood'
  | 'identity'
  | 'ability'
  | 'person'
  | 'contact'
  | 'complaint'
  | 'assent';

const patterns: readonly [Talk, RegExp][] = [
  [
    'contact',
    /^((hi|hello|hey|and|so|ok) )*(how (can|do|could|should) i (contact|reach|get in touch with|get hold of|message) (you|you guys|support|customer (service|support|care)|the (shop|team|store|practice|clinic))|contact( (us|you|details|info|information))?|customer (service|support))( please)?$/,
  ],
  [
    'person',
    /\b(speak|talk|chat|connect me|put me through|get me|transfer me|pass me)\b.*\b(human|person|somebody|someone|anybody|anyone|agent|people|operator|representative|rep|advis[eo]r|staff|employee|manager|member)\b/,
  ],
  [
    'person',
    /\b(real|actual|live|human) (person|human|being)\b.*\b(talk|speak|chat|help|answer|call)|^(can|could) (a|someone|somebody) (real )?(person|human)?\b.*\b(talk|speak|call)/,
  ],
  [
    'person',
    /^(a )?(real |live |actual )?(human|person|operator|representative|agent)( being)?( please| pls| now)?$/,
  ],
  [
    'person',
    /\b(i (want|need|would like)|can i (have|get)|is there) (a|an|any|some) (real |live |actual )?(human|person|operator|representative)\b/,
  ],
  [
    'complaint',
    /\b((did ?nt|did not|havent|have not|dont|do not|never) answer(ed)? (my|the|me|what)|not what i (asked|meant|mean)|useless|rubbish|stupid|terrible|awful|crap|idiot|hate (you|this)|doesnt work|not helpful|unhelpful|wrong answer|thats wrong|you (dont|do not) understand|waste of time|disappointed|makes no sense|worst|fuck|screw you|shit|(you|u|site|chat|bot|this|that) sucks?|^sucks|(want|like) to complain|make a complaint)\b/,
  ],
  [
    'identity',
    /^(and |so |but )?(who|what) (are|r) (you|u)\b|\b(are|r) (you|u) (a |an )?(real |actual )?(human|robot|bot|ai|person|machine|real|computer|chatbot|chatgpt)\b|\b(am i|is this) (talking|speaking|chatting) (to|with)\b|\bwho am i (talking|speaking|chatting) (to|with)\b|\bwhats your name\b|\byour name\b$|\bis this a (bot|robot|human)\b/,
  ],
  [
    'ability',
    /\bwhat (can|could|do) (you|u) (do( for me)?|help( me)? with|know|answer)$|\b(how|what) can (you|u) help\b|\bwhat can i ask\b|\bwhat are you (for|able)\b|\bhow does this (chat|work)\b|^help( me)?( please)?$|\bcan you help( me)?( please)?$|\b(kind|sort|type)s? of (things|questions|stuff) can i ask\b|\bwhat do you know\b/,
  ],
  [
    'mood',
    /\bhow (are|r) (you|u|things)\b|\bhows it going\b|\bhow do you do\b|\bwhats up\b|\bhow is your day\b|\byou (ok|okay|well)$/,
  ],
  [
    'thanks',
    /\b(thanks?|thank (you|u)|thx|thanx|ty|cheers|tysm|much appreciated|appreciate it|gracias|merci|danke)\b/,
  ],
  [
    'goodbye',
    /\b(bye|goodbye|see (you|ya)|cya|good night|take care|farewell|thats all|nothing else|im done)\b/,
  ],
  [
    'greeting',
    /^(hi|hiya|hello|helo|hey|heya|howdy|yo|greetings|hola|bonjour|hallo|ciao|good (morning|afternoon|evening|day)|morning|evening|afternoon)\b/,
  ],
  [
    'assent',
    /^(ok|okay|k|fine|great|cool|nice|perfect|got it|never ?mind|nvm|forget (it|that)|leave it|doesnt matter|not important|i see|alright|sure|yes|no|yep|nope|lol|wow|super|awesome|excellent|brilliant|lovely|no thanks|start over|go back|back|restart|i never mind)( (ok|then|great|cool|thanks))*$/,
  ],
];

/** Words that come along with small talk and ask nothing. */
const fillers = new Set(
  `that thats this helped helps help helpful lot much really great good very so all for now have nice day night weekend again just wanted say need
  information answer answers the a an your you u me i is was it please there everyone everybody team guys folks sir madam and then ok okay well
  done been being youve helpful lovely perfect brilliant awesome today friend wonderful amazing morning evening afternoon bot robot assistant one more thing
  let real person human somebody someone to talk speak can with want would like get useless terrible chat`.split(
    /\s+/,
  ),
);

/** Whatever else is said along with it. */
const inAnyWords: ReadonlySet<Talk> = new Set(['contact', 'person', 'identity', 'ability', 'mood']);

const salutation =
  /^\s*(?:hi|hiya|hello|hey|dear|greetings|good (?:morning|afternoon|evening|day)|to whom it may concern|sehr geehrte[rs]?|liebe[rs]?|guten (?:tag|morgen|abend)|hallo|moin|bonjour|bonsoir|ch\u00e8re?s?|cher|hola|buenos d\u00edas|estimad[oa]s?|ciao|gentile)(?=[\s,!:.])/iu;
/** Names, what people call a shop's people, or the one word of a line: all else may be what is asked. */
const whom =
  /^(?: +(?:there|dear|customer|client|service|support|sales|shop|team|crew|desk|all|everyone|everybody|folks|guys|people|sir|madam|or|and|at|from|of|the|und|zusammen|\p{Lu}[\p{L}.'\u2019-]*)){0,5} *(?:[,!]+\s*|[,!:.]*\n\s*)|^[.!,]+\s*|^ +[\p{L}'\u2019-]+ *[,!:]?\n\s*/u;

/** "Dear Juniper, how much is it?": to whom it is said is nothing that is asked. */
export function withoutSalutation(text: string): string {
  const [greeting] = salutation.exec(text) ?? [];
  if (greeting === undefined) return text;
  const [named] = whom.exec(text.slice(greeting.length)) ?? [];
  return (named === undefined ? '' : text.slice(greeting.length + named.length).trim()) || text;
}

/** @returns undefined for what is a question, whatever it begins with */
export function readTalk(text: string): Talk | undefined {
  const words = toWords(text);
  const plain = words.join(' ');
  const found = patterns.find(([, pattern]) => pattern.test(plain));
  if (!found) return undefined;
  const [talk, pattern] = found;
  if (inAnyWords.has(talk)) return talk;
  const left = plain.replace(pattern, ' ');
  // "Thanks, bye": the later one is answered, and a greeting last of all.
  const more = readTalk(left);
  if (more) return more === 'greeting' ? talk : more;
  // "Hi, how much is it?" greets and asks.
  const rest = toTerms(left).filter(({ word }) => !fillers.has(word));
  const asks = rest.filter(({ weak }) => !weak);
  if (talk === 'complaint') return asks.length <= 2 ? talk : undefined;
  return asks.length === 0 && (rest.length <= 1 || !/\?/.test(text)) ? talk : undefined;
}

const what =
  "I answer from this site's pages and can use its tools. I am a program without a language model.";

/** @param bot its name, and @param people how to reach a person, both as markdown */
export function toTalk(talk: Talk, bot: string, people: string): string {
  switch (talk) {
    case 'greeting':
      return `Hello, this is ${bot}. ${what} What would you like to know?`;
    case 'thanks':
      return 'You are welcome.';
    case 'goodbye':
      return 'Goodbye. Come back whenever you have a question.';
    case 'mood':
      return 'All is well here, thank you. What would you like to know?';
    case 'identity':
      return `I am ${bot}. ${what}`;
    case 'ability':
      return `${what} Ask me in your own words; I quote the page that says it, and tell you when none does.`;
    case 'complaint':
      return `I am sorry that this did not help. You can put the question in other words.${people}`;
    case 'contact':
      return people === ''
        ? 'The pages name no way to reach anybody.'
        : `You can${people.replace(`${toReach},`, '')}`;
    case 'person':
      return people === ''
        ? 'I cannot hand over to a person, and the pages name no way to reach one.'
        : `I cannot hand over to a person here.${people}`;
    case 'assent':
      return 'All right. What else would you like to know?';
  }
}

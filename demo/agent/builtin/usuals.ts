/** The list of what every site is asked, in few words, and of what the place looks like that says it. */

import { emailAddress, phoneNumber } from '../retrieval/reach.ts';
import { hasMeasure } from './measure.ts';

export interface Usual {
  /** For the index. */
  words: readonly string[];
  /** The heading, caption or title of the place that says it. */
  headed: RegExp;
  tells: (text: string) => boolean;
  /** One line of it says it all. */
  isShort: boolean;
  /** Of a table the rows that tell it are the whole answer. */
  isInSomeRows?: boolean;
}

export type AskedUsual = Usual & { asked: readonly string[] };

const street = /\b\d+ [A-Z]\w+(?: [A-Z]\w+)? (?:Lane|Street|Road|Avenue|Square|Way|Drive|Court|St|Rd|Ave)\b/;
const reach = /\b(contact|phones?|reach|counter|visit|find us|about)\b/i;
/** "8 until 1" */
const fromTo = /\b\d{1,2}(?:[:.]\d\d)? ?(?:until|till|to|–|-) ?\d{1,2}\b/;
const place = '(?:shop|store|office|practice|clinic|showroom|surgery|counter)';
const day =
  '(?:on )?(?:an? )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?(?: (?:morning|afternoon|evening|night))?';
export const usuals: readonly AskedUsual[] = [
  {
    asked: [
      `(?:what|when) (?:are|is) (?:your|the) (?:(?:opening|business|working|store|shop|office) )?(?:hours|times)(?: today)?`,
      `(?:opening|business|${place}) (?:hours|times)|hours`,
      `(?:when|what time) (?:are|do|does) (?:you|the ${place}) (?:open|close)`,
      `are you open(?: now| today)?|when are you (?:open|closed)`,
      `(?:when|what time|until when|till when|what hours) (?:are|do|does) (?:you|the ${place}) (?:open|close|shut)(?: until| till)? ${day}`,
      `(?:are you )?(?:open|closed) ${day}|(?:opening )?hours ${day}`,
    ],
    words: ['hours', 'open', 'opening', 'closed'],
    headed: /\bhours\b|\bopening\b|\bwhen (?:are|is) \w+ open\b/i,
    tells: (text) => hasMeasure(text, 'clock') || fromTo.test(text) || /\bclosed\b/i.test(text),
    isShort: false,
  },
  {
    asked: [
      `(?:are you |is the ${place} )?(?:open|closed) (?:on |over |at |for )?(?:the )?(?:christmas|new years?|thanksgiving|easter|(?:public |bank )?holidays)(?: (?:day|monday))?`,
    ],
    words: ['closed', 'shut', 'holidays', 'december', 'january', 'christmas'],
    headed: /\b(hours|opening|holidays?|contact|visit|when (?:are|is) \w+ open)\b/i,
    tells: (text) =>
      /\b(closed?|shut)\b/i.test(text) &&
      /\b(december|january|christmas|thanksgiving|easter|holidays?)\b/i.test(text),
    isShort: true,
  },
  {
    asked: [
      `where (?:are|r) you(?: guys)?(?: located| based| at)?`,
      `where is (?:your|the) ${place}(?: located)?`,
      `(?:what is |whats )?(?:your|the) (?:(?:street|postal|${place}) )?address|${place} address|location`,
      `do you have an? (?:(?:physical|real) )?${place}(?: i can visit| to visit)?`,
      `how do i (?:find|get to) you|can i visit(?: you| your ${place})?`,
    ],
    words: ['address', 'counter', 'visit', 'lane', 'street', 'road'],
    headed: reach,
    tells: (text) => street.test(text),
    isShort: true,
  },
  {
    asked: [
      `(?:(?:is there|do you have|have you got|any|where is) )?(?:an? |any |the )?(?:free )?(?:car )?park(?:ing)?(?: (?:spaces?|lot|spot))?(?: (?:there|nearby|near you|available))?`,
      `where (?:can|do|should|could) (?:i|we) park(?: (?:my|the|our) car)?`,
    ],
    words: ['parking', 'park', 'car', 'spaces', 'bays'],
    headed: /\bpark(?:ing)?\b|\bgetting here\b|\bdirections\b|\bfind us\b|\bby car\b/i,
    tells: (text) => /\b(parking|spaces?|bays?|meters?)\b/i.test(text),
    isShort: false,
  },
  {
    asked: [
      `(?:what is |whats )?(?:your|the) (?:phone|telephone|contact)(?: number)?`,
      `(?:phone|telephone) number|(?:can|how can|how do) i (?:call|phone|ring) you`,
    ],
    words: ['phone', 'telephone', 'call', 'contact'],
    headed: reach,
    tells: (text) => phoneNumber.test(text),
    isShort: true,
  },
  {
    asked: [
      `(?:what is |whats )?(?:your|the) e ?mail(?: address)?`,
      `e ?mail(?: address)?|(?:can|how can|how do) i (?:e ?mail|write to) you`,
    ],
    words: ['email', 'mail', 'write', 'contact'],
    headed: reach,
    tells: (text) => emailAddress.test(text),
    isShort: true,
  },
  {
    asked: [
      `what (?:personal )?(?:data|information|details) (?:do you|is) (?:keep|kept|stored?|collect(?:ed)?|save|hold|have)(?: (?:about|on|of) me)?`,
      `what do you (?:keep|store|collect|save|know) (?:about|on|of) me`,
      `how long (?:do|will) you (?:keep|store|save|hold) my (?:personal )?(?:data|information|details)`,
    ],
    words: ['store', 'keep', 'collect', 'data', 'privacy'],
    headed: /\b(store|stored|keep|kept|collect|hold)\b/i,
    tells: (text) => /\b(data|address|email|phone|orders?|invoices?|cookies?|conversations?)\b/i.test(text),
    isShort: false,
  },
  {
    asked: [
      `what (?:do you do with|happens (?:to|with)) my (?:personal )?(?:data|information|details)`,
      `what (?:data|information) do you (?:collect|store|keep)(?: about me)?|(?:what is your )?privacy(?: policy)?`,
    ],
    words: ['privacy', 'data', 'store', 'personal'],
    headed: /\bprivacy\b|\bdata\b|\bwhat we (?:store|collect|keep)\b/i,
    tells: () => true,
    isShort: false,
  },
  {
    asked: [
      `(?:(?:can|could|will) you |(?:how )?(?:can|do) i |i want (?:you )?to )?(?:delete|erase|remove|get rid of) (?:all )?my (?:personal )?(?:data|information|details)`,
    ],
    words: ['delete', 'deleted', 'erase', 'rights', 'data'],
    headed: /\brights?\b|\bdelet/i,
    tells: (text) => /\b(delet|eras)/i.test(text),
    isShort: false,
  },
  {
    asked: [
      `how old is (?:your|the|this) (?:company|shop|business|store|practice|clinic)|how long have you (?:been (?:around|open|there|in business)|existed)`,
      `when (?:was|were) (?:you|your company|the company|the shop|it) (?:founded|started|established|set up)|since when do you exist`,
    ],
    words: ['began', 'founded', 'started', 'opened', 'since', 'history', 'about'],
    headed: /\babout\b|\bhistory\b|\bbegan\b|\bstory\b/i,
    tells: (text) => /\b(19|20)\d\d\b/.test(text),
    isShort: true,
  },
  {
    asked: ['do you (?:use|set) cookies', 'cookies'],
    words: ['cookie', 'cookies'],
    headed: /\bcookies?\b|\bprivacy\b/i,
    tells: (text) => /\bcookies?\b/i.test(text),
    isShort: true,
  },
];

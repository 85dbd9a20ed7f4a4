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

const street = /\b\d+ [A-Z]\w+(?: [A-Z]\w+)? (?:Lane|Street|Road|Avenue|Square|Way|Drive|Court|St|Rd|Ave)\b/;
const reach = /\b(contact|phones?|reach|counter|visit|find us|about)\b/i;
const delivery =
  /\b(shipping|delivery|postage)\b.*\b(times?|costs?|prices?|rates?|charges?)\b|\b(times?|costs?|prices?)\b.*\b(shipping|delivery)\b|^(shipping|delivery|postage)\b/i;

/** "8 until 1" */
const fromTo = /\b\d{1,2}(?:[:.]\d\d)? ?(?:until|till|to|–|-) ?\d{1,2}\b/;
const place = '(?:shop|store|office|practice|clinic|showroom|surgery|counter)';
const day =
  '(?:on )?(?:an? )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?(?: (?:morning|afternoon|evening|night))?';
export const usuals: readonly (Usual & { asked: readonly string[] })[] = [
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
      `(?:what|which) (?:(?:kinds?|types?|forms?|methods?) of )?(?:payments?|cards|credit cards)(?: methods?| options?| types?)?(?: (?:do you|can i|are))?(?: (?:accept|take|use|accepted|offer|have|available))?`,
      `(?:can|could|may) i pay (?:by|with|in) (?:an? |my )?(?:(?:credit|debit) )?cards?|do you (?:take|accept) (?:(?:credit|debit) )?cards?`,
      `how (?:can|do) i pay|ways to pay|payment(?: methods?| options?)?`,
    ],
    words: ['pay', 'payment', 'card', 'cards'],
    headed: /\bpay(?:ment|ments|ing)?\b/i,
    tells: (text) => /\b(cards?|cash|cheques?|checks?|visa|paypal|bank transfer)\b/i.test(text),
    isShort: false,
  },
  {
    asked: [
      `(?:how much (?:is|does)|what (?:is|are|does)) (?:the |your )?(?:(?:standard|normal|regular|express|overnight|priority) )?(?:shipping|delivery|postage)(?: (?:fees?|charges?|costs?|rates?|prices?))?(?: cost)?`,
      `(?:(?:standard|express|overnight|priority) )?(?:shipping|delivery|postage) (?:fees?|charges?|costs?|rates?|prices?|times?)`,
      `how long (?:does|will|is) (?:the |your )?(?:(?:standard|normal|regular|express) )?(?:shipping|delivery)(?: time)?(?: take)?`,
      `(?:when|how long until) (?:will|does|is) (?:my order|it|my (?:parcel|package|delivery))(?: going to)? (?:arrive|come|arrives|be delivered|get here|be here)`,
      `do you (?:ship|deliver)|(?:do|can|will|could|would) you (?:also )?(?:ship|deliver|send|post)(?: (?:it|them|orders|parcels|packages|stuff))?(?: out)? to [a-z]+(?: [a-z]+)?`,
      `(?:where|(?:what|which) countries) do you (?:ship|deliver)(?: to)?`,
      `do you (?:ship|deliver) (?:internationally|international|abroad|overseas|worldwide|to other countries)`,
    ],
    words: ['shipping', 'delivery', 'postage', 'deliver'],
    headed: delivery,
    tells: (text) => hasMeasure(text, 'money') || hasMeasure(text, 'duration'),
    isShort: false,
  },
  {
    asked: [
      `(?:(?:do you (?:have|offer|do)|is there|any|is) )?free (?:shipping|delivery|postage)`,
      `(?:when )?is (?:the |your )?(?:shipping|delivery|postage) free|do you (?:ship|deliver) (?:for )?free`,
      `(?:what is |whats )?(?:the )?minimum (?:order |spend |amount )?(?:(?:for|to get) )?free (?:shipping|delivery)`,
      `(?:how much do i (?:have|need) to (?:spend|order|buy)|from what amount is|how do i get) (?:(?:for|to get) )?(?:free )?(?:shipping|delivery)(?: free)?`,
    ],
    words: ['shipping', 'delivery', 'free'],
    headed: delivery,
    tells: (text) => /\bfree\b/i.test(text) && hasMeasure(text.replace(/\bfree\b/gi, ''), 'money'),
    isShort: false,
    isInSomeRows: true,
  },
  {
    asked: [
      `(?:my|the) (?:order|parcel|package|delivery) (?:(?:still )?(?:hasnt|has not|didnt|did not|never|has never) (?:arrived?|come|turned up|been delivered|shown up)|is (?:late|lost|missing|delayed))(?: yet)?`,
    ],
    words: ['lost', 'late', 'missing', 'tracking'],
    headed: /\b(?:lost|late|missing|delayed|tracking)\b/i,
    tells: (text) => /\b(?:lost|late|missing|delayed)\b/i.test(text),
    isShort: false,
  },
  {
    asked: [
      `(?:(?:is there|do you have|have you got|got) )?(?:anything|something) (?:on sale|on offer|discounted|reduced)(?: right now| now| today| at the moment)?`,
      `(?:(?:are there|do you have|have you got|got) )?(?:any )?(?:sales?|deals?|(?:special )?offers|promotions?|specials|bargains|clearance)(?: items| deals)?(?: on)?(?: right now| now| today| at the moment)?`,
    ],
    words: ['clearance', 'sale', 'reduced', 'offer', 'offers', 'deal'],
    headed: /\b(clearance|sales?|deals?|offers?|promotions?|reduced)\b/i,
    tells: (text) => hasMeasure(text, 'money'),
    isShort: false,
  },
  {
    asked: [
      `(?:(?:do you have|are there|have you got|is there|got) )?(?:an? |any )?(?:discounts?|coupons?|vouchers?|promo(?:tion(?:al)?)?)(?: codes?)?(?: (?:i can use|for me|right now|at the moment))?`,
    ],
    words: ['discount', 'discounts', 'coupon', 'voucher', 'code', 'codes'],
    headed: /\b(discounts?|coupons?|vouchers?|promo\w*|codes?)\b/i,
    tells: (text) =>
      /\b(discounts?|coupons?|vouchers?|promo\w*) codes?\b|\b(discounts?|coupons?)\b/i.test(text),
    isShort: false,
  },
  {
    asked: [
      `(?:(?:is there|do you (?:have|offer|give)|have you got|got|what is|whats) )?(?:an? |any |the |your )?(?:warranty|guarantee)(?: (?:policy|period))?(?: on (?:it|them|(?:your|the) (?:products|things|stuff|items|gear)))?`,
      `how long (?:is|does) (?:your|the) (?:warranty|guarantee)(?: last)?`,
    ],
    words: ['warranty', 'guarantee'],
    headed: /\b(warranty|guarantee)\b/i,
    tells: (text) => hasMeasure(text, 'duration') || /\blifetime\b/i.test(text),
    isShort: false,
  },
  {
    asked: [
      `(?:where is|wheres?) my (?:order|parcel|package|delivery)`,
      `(?:(?:how )?(?:can|do|could) i )?track (?:my|an|the) (?:order|parcel|package|delivery)|(?:order|parcel|package) (?:status|tracking)|tracking(?: number)?`,
    ],
    words: ['tracking', 'track'],
    headed: /\btrack(?:ing)?\b/i,
    tells: (text) => /\btrack(?:ing)?\b/i.test(text),
    isShort: false,
  },
  {
    asked: [
      `(?:what is |whats )?(?:your|the) returns? (?:window|period|time ?frame)`,
      `(?:can|could|may) i (?:return|send back) (?:it|them|this|something|an item|things|an order|my order)(?: back)?(?: if .{3,30})?`,
      `how (?:long|many days) do i have to (?:return|send back) (?:it|them|this|something|an item|things|an order|my order)`,
    ],
    words: ['return', 'returns', 'days'],
    headed: /\breturns?\b/i,
    tells: (text) =>
      /\b(within|you have|up to) (\w+ )?\d+ (days|weeks|months)\b|\b\d+[- ]day return/i.test(text),
    isShort: true,
  },
  {
    asked: [
      `how (?:do|can) i (?:place an order|order(?: something| from you)?|buy(?: something| from you)?)|how does (?:ordering|it) work`,
      `can i order (?:by phone|by e ?mail|online)`,
    ],
    words: ['order', 'ordering', 'buy'],
    headed: /\bordering\b|\bhow to order\b/i,
    tells: (text) => /\b(orders?|buy|send|call)\b/i.test(text),
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
    asked: [
      `when (?:will|do|am|are|is) (?:i|you|my card)(?: get| be| being)? (?:charged?|billed|debited)(?: (?:me|my card|for it|for my order))?`,
    ],
    words: ['charged', 'charge', 'pay', 'payment', 'card'],
    headed: /\bpay(?:ment|ments|ing)?\b/i,
    tells: (text) => /\bcharged?\b|\bcard\b/i.test(text),
    isShort: false,
  },
  {
    asked: ['do you (?:use|set) cookies', 'cookies'],
    words: ['cookie', 'cookies'],
    headed: /\bcookies?\b|\bprivacy\b/i,
    tells: (text) => /\bcookies?\b/i.test(text),
    isShort: true,
  },
];

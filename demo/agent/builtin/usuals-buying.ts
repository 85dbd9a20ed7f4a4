/** The same of sites that sell: ways to pay, delivery, orders, discounts, the warranty, returns. */

import { hasMeasure } from './measure.ts';
import type { AskedUsual } from './usuals.ts';

const delivery =
  /\b(shipping|delivery|postage)\b.*\b(times?|costs?|prices?|rates?|charges?)\b|\b(times?|costs?|prices?)\b.*\b(shipping|delivery)\b|^(shipping|delivery|postage)\b/i;

const returns = {
  words: ['return', 'returns', 'days'],
  headed: /\breturns?\b/i,
  tells: (text: string) =>
    /\b(within|you have|up to) (\w+ )?\d+ (days|weeks|months)\b|\b\d+[- ]day return/i.test(text),
};

const harmed =
  'damaged|broken|faulty|ripped|torn|cracked|bent|scratched|(?:with|has) (?:an? )?(?:\\w+ )?(?:hole|crack|tear|rip|scratch|dent)(?: in it)?';
const whatNow = 'what now|what do i do(?: now)?|what (?:should|can) i do|help|now what';

export const usualsOfBuying: readonly AskedUsual[] = [
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
      `(?:my|the|our|an?|one|it)(?: \\w+){0,3} (?:(?:has |have )?(?:arrived|came|come|turned up)|was delivered|were delivered) (?:${harmed})(?: ${whatNow})?`,
      `(?:i|we) (?:got|received|was sent|were sent|have|have got) (?:the|an?) (?:wrong|damaged|broken|faulty)(?: \\w+){1,3}?(?: ${whatNow})?`,
      `(?:you|they) (?:sent|shipped|delivered)(?: me| us)? (?:the|an?) (?:wrong|damaged|broken|faulty)(?: \\w+){1,3}?(?: ${whatNow})?`,
    ],
    words: ['damaged', 'wrong', 'faulty', 'broken', 'damage'],
    headed: /\b(?:damaged?|wrong|faulty|broken|defective)\b/i,
    tells: (text) => /\b(?:tell|write|call|send|contact|report|replace\w*|photo\w*)\b/i.test(text),
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
    ...returns,
    isShort: true,
  },
  {
    asked: [
      `(?:(?:what is|whats|what are|how is|do you have|have you got|is there|about|what about) )?(?:an? |the |your )?returns?(?: and (?:refunds?|exchanges?))?(?: (?:policy|policies|conditions|terms|rules))`,
      `(?:what is|whats) (?:your|the) policy (?:on|for|about|regarding) (?:returns?|returning(?: things| items| goods)?)`,
      `(?:(?:about|what about|how about) )?(?:your |the )?returns`,
    ],
    ...returns,
    isShort: false,
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
      `when (?:will|do|am|are|is) (?:i|you|my card)(?: get| be| being)? (?:charged?|billed|debited)(?: (?:me|my card|for it|for my order))?`,
    ],
    words: ['charged', 'charge', 'pay', 'payment', 'card'],
    headed: /\bpay(?:ment|ments|ing)?\b/i,
    tells: (text) => /\bcharged?\b|\bcard\b/i.test(text),
    isShort: false,
  },
];

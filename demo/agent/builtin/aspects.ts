/** What can be asked of a thing: its price, its weight, its hours …, by the words of the question and of the page. */

import { type Dimension, hasMeasure } from './measure.ts';

export interface Aspect {
  name: string;
  asked: RegExp;
  /** Names of attributes that hold it. */
  named: RegExp;
  dimension?: Dimension;
  /** Where a text tells it without a measure. */
  told?: RegExp;
  /** Words of the question that are satisfied by what is told. */
  words: string;
  /** Without it there is no answer. */
  isStrict: boolean;
}

const aspects: readonly Aspect[] = [
  {
    name: 'weight',
    asked:
      /\bhow heavy\b|\bweigh(s|t|ts|ing)?\b|\bhow many (kilos?|kg|grams|pounds|lbs?)\b|\b(light|heavi)(er|est)\b/i,
    named: /weight/i,
    dimension: 'mass',
    words:
      'heavy weigh weight weighs light lighter lightest heavier heaviest kilos kilo kg grams pounds less more',
    isStrict: true,
  },
  {
    name: 'temperature',
    asked: /\btemperature|\bhow (cold|warm|hot)\b|\bdegrees\b|\b(warm|cold|hott)(er|est)\b|\bfreez/i,
    named: /temperature|rating|comfort|limit/i,
    dimension: 'temperature',
    words: 'temperature cold warm hot degrees rating warmer warmest colder coldest',
    isStrict: true,
  },
  {
    name: 'phone',
    asked:
      /(?<!\b(my|a|his|her|their) )\b(tele)?phone( number)?\b|\b(call|ring) (you|somebody|someone|the)\b|\bnumber\b.*\bcall\b|\bcall\b.*\bnumber\b|\bemergency (number|line)\b/i,
    named: /phone|telephone|line|call/i,
    told: /\+?\(?\d[\d\s()-]{6,}\d/,
    words: 'phone telephone call ring number line reach contact',
    isStrict: true,
  },
  {
    name: 'email',
    asked: /\be-?mail( address)?\b/i,
    named: /e-?mail/i,
    told: /\S@\S/,
    words: 'email mail address write contact reach',
    isStrict: false,
  },
  {
    name: 'hours',
    asked:
      /\bwhat time\b|\bopening\b|\bopen(s|ed)?\b|(?<!how many )\bhours\b|\bclosed?s?\b|\b(until|till|from|by) (when|what time)\b|\bshut\b/i,
    named: /hours|open|reception|counter|phone|check-?(in|out)/i,
    dimension: 'clock',
    told: /\bclosed\b|\b(24 hours|any time|always)\b/i,
    words: 'open opening hours close closed time until till what when shut opens closes',
    isStrict: false,
  },
  {
    name: 'duration',
    asked:
      /\bhow (long|fast|quick|quickly|soon|often|recent|many (days|weeks|months|hours|minutes|years))\b|\bwhen (will|does|do|can|must|should|is|are)\b|\b(long|short|fast)(er|est)\b|\bhow old\b|\bfrom what age\b|\bwhat age\b|\bexpir/i,
    named: /time|days|how long|duration|length|age|delivery|warranty|until|takes?/i,
    dimension: 'duration',
    told: /\b(same|next) (business |working )?day\b|\b\d{1,2} (january|february|march|april|may|june|july|august|september|october|november|december)\b|\b(january|february|march|april|may|june|july|august|september|october|november|december) \d|\bonce\b|\btwice\b|\bevery\b|\bdaily\b|\bimmediately\b|\bunlimited\b|\bat once\b|\b\d{1,2} [ap]m\b|\blong(er)?\b|\bexpire/i,
    words:
      'long fast quick quickly soon often days weeks months hours time take takes when until last recent old age longer longest shorter shortest period term',
    isStrict: false,
  },
  {
    name: 'price',
    asked:
      /\bhow much\b(?=\s*$|\s*[?.,!]|\s+(is|are|was|were|for|to|do|does|did|will|would|should|a|an|the|it|per|one|your|you)\b)(?!.*\bweigh)|\bprices?d?\b|\bcosts?\b|\bfees?\b|\bcharges?d?\b|\b(cheap|dear|expensive)(er|est)?\b|\b(most|least|more|less) expensive\b|\bpostage\b|\bdeposit\b|\bfrom what amount\b|\bfree\b.*\bshipping\b|\bshipping\b.*\bfree\b|\bcome to\b|\bdo i (owe|pay)\b|\bwho pays\b/i,
    named: /price|cost|fee|charge|rate|male|female|\bfor one\b/i,
    dimension: 'money',
    told: /\bfree\b|\bno (\w+ )?(charge|fee|cost)\b|(?<!\bnot )\bincluded\b|\bat no cost\b/i,
    words:
      'much cost costs price prices priced fee fees charge charges cheap cheaper cheapest expensive amount pay paid total dear most least free come',
    isStrict: true,
  },
  {
    name: 'size',
    asked:
      /\bhow (big|large|tall|wide|high|deep)\b|\bsizes?\b|\bdimensions?\b|\bmeasurements?\b|\b(big|larg|small|tall|wid|high)(g?er|g?est)\b|\b(height|width|length|diameter)\b/i,
    named: /size|dimension|floor|height|width|length|packed/i,
    dimension: 'length',
    told: /\bsizes?\b|\bmen[’']s\b|\bregular\b/i,
    words: 'big large size sizes dimensions bigger biggest larger largest smaller smallest measure come',
    isStrict: true,
  },
  {
    name: 'count',
    asked: /\bhow many\b|\bnumber of\b/i,
    named: /people|doors|pieces|number|seats|checks/i,
    told: /\b(\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|twenty)\b/i,
    words: 'many number',
    isStrict: true,
  },
  {
    name: 'origin',
    asked:
      /\bmade in\b|\bwhere\b.*\b(made|manufactured|produced)\b|\bcomes? from\b|\bcountry\b.*\b(made|manufactured|produced|origin)\b|\bcountry of origin\b/i,
    named: /made in|origin|country/i,
    told: /\bmade in\b/i,
    words: 'where made manufactured produced country origin come comes',
    isStrict: false,
  },
  {
    name: 'place',
    asked: /\bwhere\b|\baddress\b|\blocated\b|\blocation\b|\bdirections\b|\bfind you\b/i,
    named: /address|location/i,
    told: /\b\d+ [A-Z]\w+ (Lane|Street|Road|Avenue|Square|Way|St|Rd)\b|\b(behind|next to|opposite) \w+/,
    words: 'where address located location find place shop street postcode zip',
    isStrict: false,
  },
  {
    name: 'material',
    asked: /\bmade (of|from|out of)\b|\bmaterials?\b|\bfabric\b/i,
    named: /material|fabric|fly|shell|poles/i,
    told: /\b(nylon|polyester|cotton|canvas|leather|suede|steel|titanium|alumin\w+|brass|wood|wool|down|rubber|plastic|glass)\b/i,
    words: 'made material materials fabric',
    isStrict: false,
  },
];

export function readAspect(question: string): Aspect | undefined {
  const aspect = aspects.find(({ asked }) => asked.test(question));
  // Asked how long, nothing without a time is an answer.
  return aspect?.name === 'duration' &&
    /\bhow (long|fast|soon|quick|many (days|weeks|months|hours|minutes|years))/i.test(question)
    ? { ...aspect, isStrict: true }
    : aspect;
}

/** Whether this text of an attribute, or any other text, tells the aspect. */
export function tells(aspect: Aspect, text: string, attribute = ''): boolean {
  // A column of numbers has its unit in its header.
  if (aspect.dimension !== undefined && hasMeasure(`${text} ${attribute}`, aspect.dimension)) return true;
  if (aspect.told?.test(text)) return true;
  return aspect.dimension === undefined && attribute !== '' && aspect.named.test(attribute);
}

/** Numbers with units, as pages write them: "$389", "1.92 kg (4 lb 4 oz)", "5 to 8 business days", "-7 °C". */

export type Dimension =
  | 'money'
  | 'mass'
  | 'length'
  | 'volume'
  | 'temperature'
  | 'duration'
  | 'clock'
  | 'percent';

export interface Measure {
  dimension: Dimension;
  /** In the dimension's base: the currency's unit, grams, meters, liters, °C, hours, hours of the day, percent. */
  value: number;
}

const amount = String.raw`(-?\d[\d,]*(?:\.\d+)?)`;
const factors: readonly [Dimension, RegExp, number][] = [
  ['money', new RegExp(String.raw`(?:[$€£]|\b(?:usd|eur|gbp|cad)\s?)\s?${amount}`, 'gi'), 1],
  [
    'money',
    new RegExp(String.raw`${amount}\s?(?:dollars?|euros?|pounds? sterling|usd|eur|gbp|us dollars)\b`, 'gi'),
    1,
  ],
  ['mass', new RegExp(String.raw`${amount}\s?(?:kg|kilos?|kilograms?)\b`, 'gi'), 1000],
  ['mass', new RegExp(String.raw`${amount}\s?(?:g|grams?)\b`, 'gi'), 1],
  ['mass', new RegExp(String.raw`${amount}\s?(?:lbs?|pounds?)\b`, 'gi'), 453.6],
  ['mass', new RegExp(String.raw`${amount}\s?(?:oz|ounces?)\b`, 'gi'), 28.35],
  ['length', new RegExp(String.raw`${amount}\s?(?:mm|millimet(?:er|re)s?)\b`, 'gi'), 0.001],
  ['length', new RegExp(String.raw`${amount}\s?(?:cm|centimet(?:er|re)s?)\b`, 'gi'), 0.01],
  ['length', new RegExp(String.raw`${amount}\s?(?:m|met(?:er|re)s?)\b(?!²)`, 'gi'), 1],
  ['length', new RegExp(String.raw`${amount}\s?(?:inch(?:es)?|in\.|feet|ft)(?!\w)`, 'gi'), 0.0254],
  ['length', new RegExp(String.raw`${amount}\s?(?:miles?|km|kilomet(?:er|re)s?)\b`, 'gi'), 1000],
  ['volume', new RegExp(String.raw`${amount}[\s-]?(?:l|lit(?:er|re)s?)\b`, 'gi'), 1],
  ['volume', new RegExp(String.raw`${amount}\s?(?:ml|millilit(?:er|re)s?)\b`, 'gi'), 0.001],
  ['temperature', new RegExp(String.raw`${amount}\s?°\s?C`, 'gi'), 1],
  ['temperature', new RegExp(String.raw`${amount}\s?°\s?F`, 'gi'), 1],
  ['duration', new RegExp(String.raw`${amount}\s?(?:minutes?|mins?)\b`, 'gi'), 1 / 60],
  ['duration', new RegExp(String.raw`${amount}\s?(?:hours?|hrs?|h)\b`, 'gi'), 1],
  [
    'duration',
    new RegExp(String.raw`${amount}\s?(?:(?:business|working|calendar) )?(?:days?|nights?)\b`, 'gi'),
    24,
  ],
  ['duration', new RegExp(String.raw`${amount}\s?weeks?\b`, 'gi'), 168],
  ['duration', new RegExp(String.raw`${amount}\s?months?\b`, 'gi'), 730],
  ['duration', new RegExp(String.raw`${amount}\s?years?\b`, 'gi'), 8766],
  ['percent', new RegExp(String.raw`${amount}\s?(?:%|per ?cent)`, 'gi'), 1],
];
const clock = /\b(\d{1,2})(?:[:.](\d\d))?\s?([ap])\.?m\b/gi;
const clock24 = /\b([01]?\d|2[0-3]):([0-5]\d)\b(?!\s?[ap]\.?m)/gi;

/** All measures of a text, in the order of its dimensions and within one of the text. */
export function readMeasures(text: string): Measure[] {
  const found: Measure[] = [];
  for (const [dimension, pattern, factor] of factors)
    for (const [, number] of text.matchAll(pattern))
      found.push({ dimension, value: Number(number!.replaceAll(',', '')) * factor });
  for (const [, hour, minute, half] of text.matchAll(clock))
    found.push({
      dimension: 'clock',
      value: (Number(hour) % 12) + (half!.toLowerCase() === 'p' ? 12 : 0) + Number(minute ?? 0) / 60,
    });
  for (const [, hour, minute] of text.matchAll(clock24))
    found.push({ dimension: 'clock', value: Number(hour) + Number(minute) / 60 });
  if (/(?<!\bnot )\b(free|no charge|included)\b/i.test(text)) found.push({ dimension: 'money', value: 0 });
  return found;
}

export function hasMeasure(text: string, dimension: Dimension): boolean {
  return readMeasures(text).some((measure) => measure.dimension === dimension);
}

export interface Range {
  dimension: Dimension;
  min: number;
  max: number;
}

/** "under 10 kg", "25 to 39.9 kg", "40 kg and over". */
export function readRange(text: string): Range | undefined {
  const [first] = readMeasures(text).filter(({ dimension }) => dimension !== 'money');
  if (!first) return undefined;
  const { dimension, value } = first;
  const [, low] = /(\d+(?:\.\d+)?) ?(?:to|-|–) ?(\d+(?:\.\d+)?)/.exec(text) ?? [];
  const [, high] = /(?:to|-|–) ?(\d+(?:\.\d+)?)/.exec(text) ?? [];
  if (low !== undefined && high !== undefined)
    return { dimension, min: (value * Number(low)) / Number(high), max: value };
  if (/\b(under|below|up to|less than|at most)\b/i.test(text)) return { dimension, min: 0, max: value };
  if (/\b(over|above|more|from|at least)\b|\+/i.test(text))
    return { dimension, min: value, max: Number.POSITIVE_INFINITY };
  return undefined;
}

/** The decision whether a question is for one of the site's tools, and with what: by what each tool says of itself. */

import { isSaidIn, toTerms } from '../retrieval/terms.ts';
import { toStems } from '../retrieval/words.ts';
import type { Tool, ToolParameters } from '../tools.ts';

/** `missing`: what the visitor has to say first, by the parameters' titles. */
export type ToolChoice =
  | { kind: 'call'; tool: Tool; parameters: ToolParameters; reasoning: string }
  | { kind: 'missing'; tool: Tool; names: string[] };

interface Property {
  title?: string;
  description?: string;
  format?: string;
  examples?: string[];
}

export interface ToolContext {
  /** Full name of a thing of the site that the text names. */
  findThing(text: string): string | undefined;
  /** The call is for somebody whom the service knows. */
  isSignedIn: boolean;
  /** What the page that the visitor is on is about, by its title. */
  page?: string | undefined;
}

/** "What happens if it is out of stock?" is for the pages. */
const isGeneral = /\b(if|happens?|when something)\b/i;
const pointing = /\b(it|its|this|these|they|them|those|that one|this one|the other one)\b/i;

const deed =
  /\b(cancel\w*|return(ing|ed)?|send (it |this |them )?back|refund\w*|money back|exchang\w*|swap\w*|chang(e|ing)|amend\w*|add(ing)?|remov\w*|broken?|damag\w*|torn|fault\w*|wrong|missing|incomplete|warranty|repair\w*|invoice|receipt|pay|paid|charged?|complain\w*)\b/i;

/** @param earlier questions before, newest last: a parameter may have been said there */
export function chooseTool(
  text: string,
  earlier: readonly string[],
  tools: readonly Tool[],
  context: ToolContext,
): ToolChoice | undefined {
  for (const tool of tools) {
    const isAsked = asksFor(tool, text);
    // The tool's own words name no thing: "is it in stock" is not about "Waiting for stock".
    const findThing = (said: string) => context.findThing(withoutWordsOf(tool, said));
    const own = { ...context, findThing };
    const properties = Object.entries((tool.parameters.properties ?? {}) as Record<string, Property>);
    const required = new Set((tool.parameters.required ?? []) as string[]);
    const parameters: Record<string, string> = {};
    let hasShaped = false;
    for (const [name, property] of properties) {
      const found = findValue(name, property, text, own, isAsked);
      if (found === undefined) continue;
      parameters[name] = found.value;
      hasShaped ||= found.isShaped;
    }
    // A number alone asks how that one stands; with a deed of its own the pages tell what to do.
    if (!isAsked && (!hasShaped || deed.test(text))) continue;
    for (const [name, property] of properties) {
      const before = earlier.toReversed().map((one) => findValue(name, property, one, own, false));
      const known = before.find((found) => found?.isShaped);
      if (parameters[name] === undefined && known) parameters[name] = known.value;
    }
    const meant = isAsked ? findPointedAt(text, earlier, context.page, findThing) : undefined;
    for (const [name, property] of properties)
      if (meant !== undefined && required.has(name) && takesThing(name, property)) parameters[name] ??= meant;
    const missing = properties.filter(
      ([name, { format }]) =>
        parameters[name] === undefined && (required.has(name) || (format === 'email' && !context.isSignedIn)),
    );
    if (missing.length === 0)
      return { kind: 'call', tool, parameters, reasoning: `The question is about: ${tool.title}.` };
    const asksForThing = missing.some(([name, property]) => takesThing(name, property));
    // A general question that has a tool's word in it: the pages may answer it.
    if (asksForThing) continue;
    return {
      kind: 'missing',
      tool,
      names: missing.map(([name, property]) => property.title ?? toLabel(name)),
    };
  }
  return undefined;
}

const takesThing = (name: string, property: Property) =>
  !isShaped(name, property) && property.format === undefined;

/** "Is it in stock?": the thing that was spoken of last, or else that the page is about. */
function findPointedAt(
  text: string,
  earlier: readonly string[],
  page: string | undefined,
  findThing: ToolContext['findThing'],
): string | undefined {
  if (!pointing.test(text) || isGeneral.test(text)) return undefined;
  const named = earlier.toReversed().filter((one) => !pointing.test(one));
  for (const said of page === undefined ? named : [...named, page]) {
    const thing = findThing(said);
    if (thing !== undefined) return thing;
  }
  return undefined;
}

/** The visitor's own ("where is my order"), or a thing's ("in stock"), by the words that the tool says of itself. */
function asksFor(tool: Tool, text: string): boolean {
  const lower = text.toLowerCase();
  if ((tool.phrases ?? []).some((phrase) => hasPhrase(lower, phrase))) return true;
  const stems = toStems(text);
  const title = toTerms(`${tool.title} ${tool.name.replaceAll('_', ' ')}`);
  const said = title.filter((term) => isSaidIn(term, stems));
  if (title.length > 0 && said.length === title.length) return true;
  return (
    said.length > 0 &&
    /\bmy\b/.test(lower) &&
    /\b(where['’]?s?|status|track(ing)?|find|look up|check|arriv\w+|com(e|es|ing)|shipped|sent|delivered|late|delayed|update|progress|happen(s|ed|ing)|(what|how)['’]?s (up|going))\b/.test(
      lower,
    )
  );
}

function hasPhrase(text: string, phrase: string): boolean {
  return toPattern(phrase).test(text);
}

function withoutWordsOf({ phrases = [], title, name }: Tool, text: string): string {
  const words = [...phrases, ...title.split(/\s+/), ...name.split('_')].filter((one) => one !== '');
  return words.reduce((rest, one) => rest.replace(toPattern(one), ' '), text);
}

function toPattern(phrase: string): RegExp {
  return new RegExp(`\\b${phrase.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\b`, 'i');
}

function findValue(name: string, property: Property, text: string, context: ToolContext, isAsked: boolean) {
  if (property.format === 'email') {
    const value = /[^\s@<>,;:]+@[^\s@<>,;:]+\.[a-z]{2,}/i.exec(text)?.[0];
    return value === undefined ? undefined : { value, isShaped: false };
  }
  const value = findShaped(name, property, text);
  if (value !== undefined) return { value, isShaped: true };
  if (isShaped(name, property)) return undefined;
  if (!isAsked) return undefined;
  const thing = context.findThing(text);
  return thing === undefined ? undefined : { value: thing, isShaped: false };
}

/** "orderNumber": "order number". */
function toLabel(name: string): string {
  return name
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll('_', ' ')
    .trim();
}

/** Its values look alike: order numbers, codes. */
function isShaped(name: string, { examples }: Property): boolean {
  return examples !== undefined || /(number|code|id|ref(erence)?)$/i.test(name);
}

function findShaped(name: string, property: Property, text: string): string | undefined {
  if (!isShaped(name, property)) return undefined;
  const example = property.examples?.[0] ?? /\b[A-Z]+-?\d{3,}\b/.exec(property.description ?? '')?.[0];
  if (example !== undefined) return findLike(example, text);
  return /\b[A-Z]{1,4}-?\d{3,8}\b/i.exec(text)?.[0].toUpperCase();
}

/** What has the shape of the example, in any spelling: for "LF-10234" also "lf 10234" and "10234". */
function findLike(example: string, text: string): string | undefined {
  const [, letters = '', separator = '', digits = ''] = /^([A-Za-z]*)([\s-]?)(\d+)$/.exec(example) ?? [];
  if (digits === '') return undefined;
  const pattern = new RegExp(
    `(?<![\\w.-])(?:(${letters})[\\s-]*)?#?(\\d{${digits.length}})(?![\\w]|[.,]\\d)`,
    'i',
  );
  const found = pattern.exec(text);
  return found ? `${letters}${separator}${found[2]}` : undefined;
}

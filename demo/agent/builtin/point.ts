/** Where the answerer points when the pages do not answer: the nearest page, and the people of the site. */

import { emailAddress, phoneNumber } from '../retrieval/reach.ts';
import type { FoundPassage, Search } from '../retrieval/search.ts';
import { toShortTitle } from '../retrieval/title.ts';
import type { CitedSource } from '../store/messages.ts';
import type { Question } from './question.ts';
import type { Ranked } from './rank.ts';
import { escapeMarkdown } from './say.ts';
import type { Unit } from './units.ts';

const candidates = 60;
/** A page that shares less with the question is near to nothing. */
const leastNear = 0.5;

/** By its own word: another word for it may lead far away. */
function isSaidBy({ own, around, page }: Ranked, { stem }: Question['topics'][number]): boolean {
  return own.has(stem) || around.has(stem) || page.has(stem);
}

/** How what `toPeople` gives begins. */
export const toReach = ' To reach a person';

/** How to reach a person, as the contact page has it; empty when there is none. */
export function toPeople(search: Search, botId: string): string {
  const passages = search.find({ botId }, ['contact', 'telephone', 'phone', 'email'], candidates);
  const named = passages.find(({ content, url }) => url !== null && phoneNumber.test(content));
  const contact = search.contactPage(botId) ?? (named && { title: named.title, url: named.url! });
  if (!contact) return '';
  const text = search
    .ofPage({ botId }, new URL(contact.url).pathname)
    .map(({ section, content }) => ({ content, isContact: /contact|phone|reach|e-?mail/i.test(section) }))
    .sort((a, b) => Number(b.isContact) - Number(a.isContact))
    .map(({ content }) => content)
    .join('\n');
  const phone = phoneNumber.exec(text)?.[0];
  const email = emailAddress.exec(text)?.[0];
  const ways = [phone && `call ${phone}`, email && `write to ${email}`].filter((way) => way !== undefined);
  const page = `[${escapeMarkdown(toShortTitle(contact.title))}](<${contact.url}>)`;
  return ways.length > 0 ? `${toReach}, ${ways.join(' or ')}: ${page}.` : `${toReach}, see ${page}.`;
}

/** @param helpLine whom to call, where something bad has happened */
export function toNothing(
  search: Search,
  botId: string,
  nearest: Ranked | undefined,
  question: Question | undefined,
  helpLine?: Unit,
): { text: string; sources: CitedSource[] } {
  const contact = search.contactPage(botId);
  const parts = ["I found nothing about that in this site's pages."];
  const link = ({ title, url }: { title: string; url: string }) =>
    `[${escapeMarkdown(toShortTitle(title))}](<${url}>)`;
  if (helpLine) {
    const { title, url } = helpLine.passage;
    const where = url === null ? '' : ` ${link({ title, url })}.`;
    return {
      text: `${parts[0]} For emergencies they say: ${escapeMarkdown(helpLine.text)}${where}`,
      sources: [],
    };
  }
  const near: FoundPassage | undefined =
    nearest && nearest.coverage >= leastNear && question?.topics.some((term) => isSaidBy(nearest, term))
      ? nearest.passage
      : undefined;
  if (near?.url && near.url !== contact?.url)
    parts.push(`The nearest page is ${link({ title: near.title, url: near.url })}.`);
  if (contact) parts.push(`You can ask a person: ${link(contact)}.`);
  return { text: parts.join(' '), sources: [] };
}

/** What `GET /visitor` gives, as text that can be read. Loaded when a visitor opens "Your data". */
import type { VisitorExport } from '../../server-helper/protocol/wire.ts';

/** @param who what a visitor's and an agent's words stand under @param language BCP 47, of the dates */
export function toMarkdown(
  { conversations }: VisitorExport,
  who: { visitor: string; agent: string; untitled: string },
  language: string,
): string {
  const toDate = (at: string) =>
    new Date(at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
  const told = conversations.map(({ title, createdAt, messages }) => {
    const lines = messages.map(({ role, text, at, sources = [] }) => {
      const cited = sources.map(
        ({ number, title, url }) => `\n[${number}] ${title}${url ? ` <${url}>` : ''}`,
      );
      const body = `${text}${cited.length > 0 ? `\n${cited.join('')}` : ''}`;
      return `**${role === 'visitor' ? who.visitor : who.agent}**, ${toDate(at)}\n\n${body}`;
    });
    return [`# ${title || who.untitled}`, toDate(createdAt), ...lines].join('\n\n');
  });
  return `${told.join('\n\n---\n\n')}\n`;
}

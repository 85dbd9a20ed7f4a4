/** What a signed-in visitor asks to be remembered, and what is told of it again. */

import { escapeMarkdown } from './say.ts';

const maxLength = 1000;

/** `content` absent: the visitor asks what is remembered. */
export function readRemember(question: string): { content: string | undefined } | undefined {
  const content = /^\s*(?:please\s+)?remember(?:\s+that\s|:)\s*(\S[\s\S]*)/i.exec(question)?.[1]?.trim();
  if (content !== undefined) return { content: content.slice(0, maxLength) };
  return /\bwhat (do|did) you (remember|know) about me\b/i.test(question)
    ? { content: undefined }
    : undefined;
}

export function toRemembered(known: readonly string[]): string {
  if (known.length === 0) return 'I remember nothing about you yet.';
  return `I remember:\n\n${known.map((one) => `- ${escapeMarkdown(one)}`).join('\n')}`;
}

/** Markdown source → tokens, by marked's lexer (CommonMark and GFM) as ../build/cut-marked.ts leaves it. Holds what an answer may cost. */
import { Lexer, type Links, type Token } from 'marked';

export type { Token, Tokens } from 'marked';
export type LinkDefinitions = Links;
export type Lexed = { tokens: Token[]; links: LinkDefinitions };

/** Past this, the rest of an answer is shown as plain text. */
export const maxSourceChars = 256 * 1024;
/** Deeper nesting than any answer needs; the lexer calls itself once a level. */
const maxDepth = 50;
const deep = new RegExp(`^[ \\t]*(?:(?:>|[-+*]|\\d{1,9}[.)])[ \\t]*){${maxDepth},}`, 'm');

/** @param known link definitions of an earlier part of the same answer */
export function lex(source: string, known: LinkDefinitions = Object.create(null)): Lexed {
  const lexer = new Lexer({ gfm: true });
  Object.assign(lexer.tokens.links, known);
  if (!deep.test(source)) {
    try {
      const tokens = lexer.lex(source);
      return { tokens: [...tokens], links: tokens.links };
    } catch {
      // A pathological nesting: shown as it was written.
    }
  }
  return { tokens: [toPlainText(source)], links: known };
}

export function toPlainText(source: string): Token {
  return { type: 'plain', raw: source, text: source };
}

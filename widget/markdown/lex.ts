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

/**
 * Marks of emphasis in one paragraph, which are matched up in up to the cube of their number; and characters of one word
 * with an @, in which a mail address is looked for from each of them.
 */
const maxMarks = 500;
const isCostly = (text: string) =>
  text.length >= maxMarks &&
  (text.split(/[*_~]/, maxMarks).length === maxMarks || (text.includes('@') && /\S{1000}/.test(text)));

/** @param known link definitions of an earlier part of the same answer */
export function lex(source: string, known: LinkDefinitions = Object.create(null)): Lexed {
  const lexer = new Lexer({ gfm: true });
  Object.assign(lexer.tokens.links, known);
  const read = lexer.inlineTokens;
  lexer.inlineTokens = (text, tokens = []) => {
    if (!isCostly(text)) return read.call(lexer, text, tokens);
    tokens.push(toPlainText(text));
    return tokens;
  };
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

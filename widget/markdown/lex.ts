/** Markdown source → tokens, by marked's lexer (CommonMark and GFM) as ../build/cut-marked.ts leaves it. Holds what an answer may cost. */
import { Lexer, type Links, type Token } from 'marked';

export type { Token, Tokens } from 'marked';
export type LinkDefinitions = Links;
export type Lexed = { tokens: Token[]; links: LinkDefinitions };

/** Past this, the rest of an answer is shown as plain text. */
export const maxSourceChars = 256 * 1024;
/** Deeper nesting than any answer needs; the lexer calls itself once a level. */
const deep = /^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*){50}/m;

/** Cells of a table: each line of a single `|` becomes as many as its head has. */
const maxCells = 50_000;
const countCells = (source: string) =>
  Math.max(...(source.match(/^[-: |\t>]+$/gm) ?? []).map((line) => line.split('|').length)) *
  source.split('\n').length;
/** Of one paragraph: emphasis is matched up in the cube of its marks. */
const maxMarks = 240;
/** Or an address is looked for, in what may be one, from each of its letters. */
const isCostly = (text: string) =>
  text.split(/\*+|_+|~+/, maxMarks).length === maxMarks || /\S{2000}/.test(text);

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
  try {
    if (!deep.test(source) && !(countCells(source) > maxCells)) {
      const tokens = lexer.lex(source);
      return { tokens: [...tokens], links: tokens.links };
    }
  } catch {
    // A pathological nesting: shown as it was written.
  }
  return { tokens: [toPlainText(source)], links: known };
}

export function toPlainText(source: string): Token {
  return { type: 'plain', raw: source, text: source };
}

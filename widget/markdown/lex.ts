/** Markdown source → tokens, by marked's lexer (CommonMark and GFM). Holds what an answer may cost. */
import { Lexer, type Links, type Token, Tokenizer } from 'marked';

export type { Token, Tokens } from 'marked';
export type LinkDefinitions = Links;
export type Lexed = { tokens: Token[]; links: LinkDefinitions };

/** Past this, the rest of an answer is shown as plain text. */
export const maxSourceChars = 256 * 1024;
/** Deeper nesting than any answer needs; the lexer calls itself once a level. */
const maxDepth = 50;
const deep = new RegExp(`^[ \\t]*(?:(?:>|[-+*]|\\d{1,9}[.)])[ \\t]*){${maxDepth},}`, 'm');

/** Raw HTML is shown as text, so an opening tag must not change how what follows is read. */
class TextualHtml extends Tokenizer {
  override tag(src: string) {
    const token = super.tag(src);
    this.lexer.state.inLink = false;
    this.lexer.state.inRawBlock = false;
    return token;
  }
}

/** @param known link definitions of an earlier part of the same answer */
export function lex(source: string, known: LinkDefinitions = Object.create(null)): Lexed {
  const lexer = new Lexer({ gfm: true, tokenizer: new TextualHtml() });
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

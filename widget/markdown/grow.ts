/**
 * An answer that grows: finished blocks keep their tokens, only the open tail is read again.
 * Every prefix gives the tokens that reading that prefix at once would give.
 */
import { type LinkDefinitions, lex, maxSourceChars, type Token, toPlainText } from './lex.ts';

export type Growing = {
  /** Top-level tokens of `text`; those of finished blocks are the same objects as last time. */
  update(text: string): readonly Token[];
};

/** This many blocks stay open: what follows a block can still change it, what follows the next one cannot. */
const openBlocks = 2;

export function createGrowing(): Growing {
  let seen = '';
  let frozen: Token[] = [];
  let frozenChars = 0;
  let frozenLinks: LinkDefinitions = Object.create(null);
  /** A definition may stand after its use, so a change of any means reading all again. */
  let definitions = '';
  let tokens: readonly Token[] = [];

  const restart = () => {
    frozen = [];
    frozenChars = 0;
    frozenLinks = Object.create(null);
  };
  const read = (source: string) => {
    let lexed = lex(source.slice(frozenChars), frozenLinks);
    const now = JSON.stringify(lexed.links);
    if (now !== definitions && frozenChars > 0) {
      restart();
      lexed = lex(source);
    }
    definitions = now;
    tokens = frozen.concat(lexed.tokens);
    freeze(lexed.tokens, source.length - frozenChars);
  };
  const freeze = (tail: readonly Token[], tailChars: number) => {
    const cut = findCut(tail);
    if (cut === 0 || sumChars(tail) !== tailChars) return;
    const done = tail.slice(0, cut);
    frozen = frozen.concat(done);
    frozenChars += sumChars(done);
    for (const token of done)
      if (token.type === 'def' && !(token.tag in frozenLinks))
        frozenLinks[token.tag] = { href: token.href, title: token.title };
  };

  return {
    update(text) {
      if (text === seen) return tokens;
      if (!text.startsWith(seen)) restart();
      seen = text;
      const source = toLines(text);
      if (source.length <= maxSourceChars) {
        read(source);
      } else {
        if (tokens.at(-1)?.type !== 'plain') read(source.slice(0, maxSourceChars));
        tokens = [
          ...tokens.filter((token) => token.type !== 'plain'),
          toPlainText(source.slice(maxSourceChars)),
        ];
      }
      return tokens;
    },
  };
}

/** As the lexer would do itself; done here so that offsets stay true. */
function toLines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** How many tokens of the tail are finished. A cut is safe only where nothing that follows can reach back over it. */
function findCut(tail: readonly Token[]): number {
  let blocks = 0;
  for (let index = tail.length - 1; index > 0; index -= 1) {
    const token = tail[index] as Token;
    if (token.type === 'space') continue;
    blocks += 1;
    const before = tail[index - 1] as Token;
    const closes = before.type === 'space' || before.type === 'heading' || before.type === 'hr';
    if (blocks >= openBlocks && closes) return index;
  }
  return 0;
}

function sumChars(tokens: readonly Token[]): number {
  let chars = 0;
  for (const token of tokens) chars += token.raw.length;
  return chars;
}

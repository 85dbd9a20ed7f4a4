/** A mail in HTML as text: all that it says, a block a line. */

import { Tokenizer } from 'htmlparser2';

const mostChars = 500_000;
const silent = new Set(['style', 'script', 'title', 'template']);
const breaks = new Set(
  'address article blockquote br dd div dl dt footer form h1 h2 h3 h4 h5 h6 header hr li ol p pre section table tr ul'.split(
    ' ',
  ),
);
const nothing = () => {};

/** By its tokens alone: a tree of what nests endlessly would take endlessly. */
export function htmlToText(html: string): string {
  const source = html.slice(0, mostChars);
  let text = '';
  let quotes = 0;
  let silentIn: string | undefined;
  const say = (said: string) => {
    if (silentIn !== undefined) return;
    text += said;
    // As in a mail of plain text.
    if (said === '\n' && quotes > 0) text += '> ';
  };
  const nameAt = (start: number, end: number) => source.slice(start, end).toLowerCase();
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: (start, end) => say(source.slice(start, end).replace(/\s+/g, ' ')),
      ontextentity: (codepoint) => say(String.fromCodePoint(codepoint)),
      onopentagname(start, end) {
        const name = nameAt(start, end);
        if (name === 'blockquote') quotes += 1;
        if (breaks.has(name)) say('\n');
        if (silent.has(name)) silentIn ??= name;
      },
      onclosetag(start, end) {
        const name = nameAt(start, end);
        if (silentIn === name) silentIn = undefined;
        if (name === 'blockquote') quotes = Math.max(quotes - 1, 0);
        if (breaks.has(name)) say('\n');
        if (name === 'td' || name === 'th') say(' ');
      },
      onattribdata: nothing,
      onattribentity: nothing,
      onattribend: nothing,
      onattribname: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onopentagend: nothing,
      onprocessinginstruction: nothing,
      onselfclosingtag: nothing,
    },
  );
  tokenizer.write(source);
  tokenizer.end();
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== '>')
    .join('\n');
}

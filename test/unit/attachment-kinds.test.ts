/** What a file is, by its bytes alone. */
import { expect, test } from 'vitest';
import { findType } from '../../server-helper/attachments/kinds.ts';

const latin = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const utf8 = (text: string) => new TextEncoder().encode(text);

test.each([
  ['image/png', latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
  ['image/jpeg', latin('\xff\xd8\xff\xe0\0\x10JFIF')],
  ['image/gif', latin('GIF89a\x01\0')],
  ['image/gif', latin('GIF87a\x01\0')],
  ['image/webp', latin('RIFF\x24\0\0\0WEBPVP8 ')],
  ['application/pdf', latin('%PDF-1.7\n%\xe2\xe3\xcf\xd3')],
  ['text/plain', utf8('Grüße,\r\n\tund mehr ✓')],
  ['text/plain', utf8('<svg onload="alert(1)"></svg>')],
  ['text/plain', utf8('a,b\n1,2\n')],
] as const)('%s', (type, bytes) => {
  expect(findType(bytes)).toBe(type);
});

test.each([
  ['nothing', latin('')],
  ['a program', latin('\x7fELF\x02\x01\x01\0')],
  ['an archive', latin('PK\x03\x04\x14\0')],
  ['what is no UTF-8', latin('caf\xe9')],
  ['text with a zero in it', latin('a\0b')],
  ['text that moves the cursor', latin('a\x1b[2Jb')],
  ['half a beginning', latin('\x89PN')],
  ['another RIFF', latin('RIFF\x24\0\0\0WAVEfmt ')],
])('%s is none of them', (_, bytes) => {
  expect(findType(bytes)).toBeUndefined();
});

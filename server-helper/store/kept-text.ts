/** Texts as a database keeps them: of half a character, and of what stands behind a zero, some keep nothing. Those stand under a mark. */

const mark = '\uE000';
const needsMark = /[\0\uE000\p{Surrogate}]/u;
const marked = /\uE000([0-9a-f]{4})/g;

export function keepText(text: string): string {
  if (!needsMark.test(text)) return text;
  return text.replace(
    /[\0\uE000\p{Surrogate}]/gu,
    (char) => mark + char.charCodeAt(0).toString(16).padStart(4, '0'),
  );
}

export function readText(text: string): string {
  if (!text.includes(mark)) return text;
  return text.replace(marked, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

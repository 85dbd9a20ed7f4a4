/** Which files a visitor may attach, told by their bytes: what they are called and said to be is anybody's word. */

export type AttachmentType = (typeof attachmentTypes)[number];
export const attachmentTypes = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'text/plain',
] as const;

/** By how they begin; of WebP the size stands between. */
const beginnings: readonly (readonly [AttachmentType, string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  ['application/pdf', '%PDF-'],
];
const isWebp = (head: string) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP';
const longestBeginning = 12;
/** As no text has: controls but tab, line feed, form feed and return. */
const control = /[^\P{Cc}\t\n\f\r]/u;

/** @returns undefined for what is none of them */
export function findType(bytes: Uint8Array): AttachmentType | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, longestBeginning));
  const found = beginnings.find(([, beginning]) => head.startsWith(beginning));
  if (found) return found[0];
  if (isWebp(head)) return 'image/webp';
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text === '' || control.test(text) ? undefined : 'text/plain';
  } catch {
    return undefined;
  }
}

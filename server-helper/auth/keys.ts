/** Turns a secret into one key a purpose, so that a token of one kind never passes as another (RFC 5869). */

const utf8 = new TextEncoder();

/** HKDF-SHA256 of `secret` for `purpose`, 32 bytes. */
export async function deriveKey(secret: string, purpose: string): Promise<Uint8Array> {
  const master = await crypto.subtle.importKey('raw', utf8.encode(secret), 'HKDF', false, ['deriveBits']);
  const info = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: utf8.encode(purpose) };
  return new Uint8Array(await crypto.subtle.deriveBits(info, master, 256));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** `bytes` random bytes as lowercase hex. */
export function makeRandomHex(bytes: number): string {
  return toHex(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** SHA-256 of a text as lowercase hex. */
export async function hashText(text: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8.encode(text))));
}

/** By their hashes, whose comparison tells nothing of either. */
export async function isSameText(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map(hashText));
  return a === b;
}

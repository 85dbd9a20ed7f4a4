/** Verifies the signature of an agent event: HMAC-SHA256 over the bytes as sent, in hex or base64. */

const utf8 = new TextEncoder();

/**
 * @param signature the header, with or without `sha256=`
 * @param beforeSecond called before the second form is tried, which is dear: it may throw
 * @returns the text that the signature covers, or undefined when no secret made it
 * @see agent-api-decisions.md "Webhooks": the hosted sample signs the re-serialised body, so that is tried second
 */
export async function verifyWebhook(
  raw: Uint8Array<ArrayBuffer>,
  signature: string | null,
  secrets: readonly string[],
  beforeSecond: () => void | Promise<void>,
): Promise<string | undefined> {
  const given = readSignature(signature ?? '');
  if (given === undefined) return undefined;
  if (await isSignedByOne(raw, given, secrets)) return new TextDecoder().decode(raw);
  await beforeSecond();
  const second = toReserialised(raw);
  return second && (await isSignedByOne(second, given, secrets))
    ? new TextDecoder().decode(second)
    : undefined;
}

/** The whole text must be 32 bytes in hex or in base64 of either alphabet: nothing is cut off or skipped. */
function readSignature(text: string): Uint8Array<ArrayBuffer> | undefined {
  const [, hex, base64] = /^(?:sha256=)?(?:([0-9a-f]{64})|([\w+/-]{43})=?)$/i.exec(text) ?? [];
  if (hex) return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  if (!base64) return undefined;
  const bytes = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(bytes, (char) => char.charCodeAt(0));
}

async function isSignedByOne(
  bytes: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  secrets: readonly string[],
): Promise<boolean> {
  for (const secret of secrets) if (await isSigned(bytes, signature, secret)) return true;
  return false;
}

/** `subtle.verify` compares in constant time. */
async function isSigned(
  bytes: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  secret: string,
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', utf8.encode(secret), algorithm, false, ['verify']);
  return crypto.subtle.verify('HMAC', key, signature, bytes);
}

function toReserialised(raw: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(raw);
    // Another serialisation differs inside the value; what stands around it was put there by somebody else.
    if (text.trim() !== text) return undefined;
    return utf8.encode(JSON.stringify(JSON.parse(text)));
  } catch {
    return undefined;
  }
}

/** Verifies the signature of an agent event: HMAC-SHA256 in lowercase hex, over the bytes as sent. */

const utf8 = new TextEncoder();

/**
 * @param signature the header, with or without `sha256=`
 * @returns the text that the signature covers, or undefined when no secret made it
 * @see agent-api-decisions.md "Webhooks": the hosted sample signs the re-serialised body, so that is tried second
 */
export async function verifyWebhook(
  raw: Uint8Array,
  signature: string | null,
  secrets: readonly string[],
): Promise<string | undefined> {
  const hex = /^(?:sha256=)?([0-9a-f]{64})$/.exec(signature ?? '')?.[1];
  if (hex === undefined) return undefined;
  const given = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const candidates = [raw, toReserialised(raw)].filter((bytes) => bytes !== undefined);
  for (const bytes of candidates)
    for (const secret of secrets)
      if (await isSigned(bytes, given, secret)) return new TextDecoder().decode(bytes);
  return undefined;
}

/** `subtle.verify` compares in constant time. */
async function isSigned(bytes: Uint8Array, signature: Uint8Array, secret: string): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', utf8.encode(secret), algorithm, false, ['verify']);
  return crypto.subtle.verify('HMAC', key, signature, bytes);
}

function toReserialised(raw: Uint8Array): Uint8Array | undefined {
  try {
    return utf8.encode(JSON.stringify(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw))));
  } catch {
    return undefined;
  }
}

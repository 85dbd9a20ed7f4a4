/** Which addresses of an answer may become links, decided on the parsed URL after all decoding. */

export type SafeLink = {
  href: string;
  /** ASCII host (punycode), or what mail and telephone links have instead. */
  host: string;
};

const allowed = new Set(['https:', 'http:', 'mailto:', 'tel:']);

/** Undefined: the link stays inert. A relative address would lead into the page, which the answer knows nothing of. */
export function toSafeLink(address: string): SafeLink | undefined {
  let url: URL;
  try {
    url = new URL(address.trim());
  } catch {
    return undefined;
  }
  if (!allowed.has(url.protocol)) return undefined;
  // "https://bank.example@evil.test" reads like the bank's.
  url.username = '';
  url.password = '';
  const host = url.host || url.pathname;
  return host === '' ? undefined : { href: url.href, host };
}

const hostLike =
  /(?:[a-z0-9\u00a1-\uffff](?:[a-z0-9\u00a1-\uffff-]*[a-z0-9\u00a1-\uffff])?\.)+[a-z\u00a1-\uffff]{2,}/i;

/** True when the text of a link names another host than the link leads to, or hides characters. */
export function isMisleading(text: string, host: string): boolean {
  if (/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/.test(text)) return true;
  const named = hostLike.exec(text)?.[0];
  if (named === undefined) return false;
  try {
    const bare = (name: string) => name.replace(/^www\./, '').replace(/:\d+$/, '');
    return bare(new URL(`https://${named}`).host) !== bare(host.split('@').pop() ?? host);
  } catch {
    return true;
  }
}

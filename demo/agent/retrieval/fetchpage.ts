/** What stands at an address, fetched within limits of size and time. */

import { withDeadline } from '../deadline.ts';
import { AgentError } from '../errors.ts';
import { type ReadPage, readHtml } from './html.ts';

export interface FetchedPage extends ReadPage {
  /** The address that answered, after redirects, without its fragment. */
  url: string;
}

export interface Fetched {
  url: URL;
  /** The content type as it was sent; empty when it was not. */
  type: string;
  bytes: Uint8Array;
}

/** By which a site's robots.txt may name us. */
export const robotName = 'porchlight';
const maxPageBytes = 1024 * 1024;
const timeoutMs = 10_000;

export async function fetchAddress(
  url: string,
  accept: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Fetched> {
  return withDeadline(signal, timeoutMs, async (limit) => {
    const response = await fetch(url, {
      headers: { accept, 'user-agent': robotName },
      signal: limit,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new AgentError(400, 'page_unreadable', `The page answered ${response.status}.`);
    }
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.byteLength;
      if (length > maxBytes)
        throw new AgentError(400, 'page_too_large', `The page is larger than ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
    const address = new URL(response.url || url);
    address.hash = '';
    return { url: address, type: response.headers.get('content-type') ?? '', bytes: Buffer.concat(chunks) };
  });
}

export async function fetchPage(url: string, signal: AbortSignal): Promise<FetchedPage> {
  const accept = 'text/html, application/xhtml+xml;q=0.9, text/plain;q=0.8';
  const fetched = await fetchAddress(url, accept, maxPageBytes, signal);
  if (!/text\/html|xhtml|text\/plain/.test(fetched.type))
    throw new AgentError(
      400,
      'page_unreadable',
      `The page is ${fetched.type || 'of unknown type'}, not HTML.`,
    );
  return toPage(fetched);
}

export function toPage(fetched: Fetched): FetchedPage {
  const page = readHtml(toText(fetched));
  const { url } = fetched;
  return {
    ...page,
    url: url.href,
    title: page.title || page.blocks.find(({ kind }) => kind === 'heading')?.text || url.href,
    favicon: page.favicon === null ? null : (toUrl(page.favicon, url)?.href ?? null),
  };
}

/** In the charset that the content type names, else UTF-8. */
export function toText({ type, bytes }: Fetched): string {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** An http(s) address without fragment, or undefined. */
export function toUrl(href: string, base?: URL): URL | undefined {
  if (!URL.canParse(href, base?.href)) return undefined;
  const url = new URL(href, base);
  url.hash = '';
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

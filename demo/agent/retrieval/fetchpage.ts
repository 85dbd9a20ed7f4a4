/** One web page, fetched within its limits of size and time. */

import { AgentError } from '../errors.ts';
import { type ReadPage, readHtml } from './html.ts';

export interface FetchedPage extends ReadPage {
  /** The address that answered, after redirects, without its fragment. */
  url: string;
}

const maxPageBytes = 1024 * 1024;
const timeoutMs = 10_000;

export async function fetchPage(url: string, signal: AbortSignal): Promise<FetchedPage> {
  const response = await fetch(url, {
    headers: { accept: 'text/html, application/xhtml+xml;q=0.9, text/plain;q=0.8' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || !/text\/html|xhtml|text\/plain/.test(type)) {
    await response.body?.cancel();
    throw new AgentError(
      400,
      'page_unreadable',
      response.ok
        ? `The page is ${type || 'of unknown type'}, not HTML.`
        : `The page answered ${response.status}.`,
    );
  }
  const decoder = new TextDecoder(/charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8');
  let html = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxPageBytes)
      throw new AgentError(400, 'page_too_large', `The page is larger than ${maxPageBytes} bytes.`);
    html += decoder.decode(chunk, { stream: true });
  }
  html += decoder.decode();
  const address = new URL(response.url || url);
  address.hash = '';
  const page = readHtml(html);
  return {
    ...page,
    url: address.href,
    title: page.title || page.blocks.find(({ kind }) => kind === 'heading')?.text || address.href,
    favicon: page.favicon === null ? null : (toUrl(page.favicon, address)?.href ?? null),
  };
}

/** An http(s) address without fragment, or undefined. */
export function toUrl(href: string, base?: URL): URL | undefined {
  if (!URL.canParse(href, base?.href)) return undefined;
  const url = new URL(href, base);
  url.hash = '';
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

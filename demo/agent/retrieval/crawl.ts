/** A website: its first page and the pages of the same origin that links lead to, 50 at most. */

import { type FetchedPage, fetchPage, toUrl } from './fetchpage.ts';

const maxPages = 50;

/** Fails only when the first page does; a broken link costs that page, no more. */
export async function crawlSite(start: string, signal: AbortSignal): Promise<FetchedPage[]> {
  const first = await fetchPage(start, signal);
  const origin = new URL(first.url).origin;
  const pages = new Map([[first.url, first]]);
  const seen = new Set([new URL(start).href, first.url]);
  const queue: string[] = [];
  const enqueueLinksOf = (page: FetchedPage) => {
    for (const link of page.links) {
      const url = toUrl(link, new URL(page.url));
      if (!url || url.origin !== origin || seen.has(url.href)) continue;
      seen.add(url.href);
      queue.push(url.href);
    }
  };
  enqueueLinksOf(first);
  for (let tried = 1; tried < maxPages; tried += 1) {
    const next = queue.shift();
    if (next === undefined) break;
    signal.throwIfAborted();
    try {
      const page = await fetchPage(next, signal);
      if (new URL(page.url).origin !== origin || pages.has(page.url)) continue;
      pages.set(page.url, page);
      enqueueLinksOf(page);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
    }
  }
  return [...pages.values()];
}

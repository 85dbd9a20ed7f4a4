/** A website: its first page and the pages of the same origin that links lead to and its robots.txt allows. */

import robotsParser from 'robots-parser';
import { AgentError } from '../errors.ts';
import { type FetchedPage, fetchAddress, fetchPage, robotName, toText, toUrl } from './fetchpage.ts';
import { emailAddress, phoneNumber } from './reach.ts';

const maxPages = 500;
const maxRobotsBytes = 500 * 1024;

/** Fails only when the first page does; a broken link costs that page, no more. `onPage` hears of each. */
export async function crawlSite(
  start: string,
  signal: AbortSignal,
  onPage: (pages: number) => void,
): Promise<FetchedPage[]> {
  const isAllowed = await readRobots(start, signal);
  if (!isAllowed(start))
    throw new AgentError(400, 'page_unreadable', 'The robots.txt of the site does not allow it.');
  const first = await fetchPage(start, signal);
  const origin = new URL(first.url).origin;
  const pages = new Map([[first.url, first]]);
  const seen = new Set([new URL(start).href, first.url]);
  const queue: string[] = [];
  const enqueueLinksOf = (page: FetchedPage) => {
    for (const link of page.links) {
      const url = toUrl(link, new URL(page.url));
      if (!url || url.origin !== origin || seen.has(url.href) || !isAllowed(url.href)) continue;
      seen.add(url.href);
      queue.push(url.href);
    }
  };
  enqueueLinksOf(first);
  onPage(1);
  for (let tried = 1; tried < maxPages; tried += 1) {
    const next = queue.shift();
    if (next === undefined) break;
    signal.throwIfAborted();
    try {
      const page = await fetchPage(next, signal);
      if (new URL(page.url).origin !== origin || pages.has(page.url) || !isAllowed(page.url)) continue;
      pages.set(page.url, page);
      enqueueLinksOf(page);
      onPage(pages.size);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
    }
  }
  const [home, ...others] = withoutTwins([...pages.values()]);
  return [withFrame(home!), ...others];
}

/** What all pages say of how to reach the site is read with the first. */
function withFrame(page: FetchedPage): FetchedPage {
  const lines = page.frame.filter((line) => emailAddress.test(line) || phoneNumber.test(line));
  const said = page.blocks.map(({ text }) => text).join(' ');
  const isSaid = lines.every((line) => said.includes(line));
  if (isSaid) return page;
  const heading = { kind: 'heading', level: 2, text: 'Contact' } as const;
  const paragraphs = lines.map((text) => ({ kind: 'paragraph', level: 0, text }) as const);
  return { ...page, blocks: [...page.blocks, heading, ...paragraphs] };
}

/** "/" and "/index.html" are one page under two addresses: the first one found counts. */
function withoutTwins(pages: readonly FetchedPage[]): FetchedPage[] {
  const known = new Set<string>();
  return pages.filter(({ title, blocks }) => {
    const text = JSON.stringify([title, blocks]);
    if (known.has(text)) return false;
    known.add(text);
    return true;
  });
}

/** A site without a robots.txt, or with one that cannot be had, allows everything. */
async function readRobots(start: string, signal: AbortSignal): Promise<(url: string) => boolean> {
  const address = new URL('/robots.txt', start).href;
  try {
    const fetched = await fetchAddress(address, 'text/plain', maxRobotsBytes, signal);
    const robots = robotsParser(address, toText(fetched));
    return (url) => robots.isAllowed(url, robotName) !== false;
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return () => true;
  }
}

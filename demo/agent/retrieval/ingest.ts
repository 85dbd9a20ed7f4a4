/** From a source to its passages, in the background: processing, then success or failed. */

import { AgentError } from '../errors.ts';
import type { EventLog } from '../events.ts';
import type { NewPassage, Source, SourceStore } from '../store/sources.ts';
import { toBlocks, toPassages } from './chunk.ts';
import { crawlSite } from './crawl.ts';
import { type FetchedPage, fetchPage } from './fetchpage.ts';

export interface Ingest {
  start(source: Source): void;
  /** Resolves when nothing is being read any more. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export function createIngest(sources: SourceStore, events: EventLog): Ingest {
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const idle = async () => {
    while (running.size > 0) await Promise.all(running);
  };

  async function run(source: Source) {
    try {
      const passages = await readSource(source, closing.signal);
      if (passages.length === 0) throw new AgentError(400, 'source_empty', 'No text was found.');
      sources.succeed(source, passages);
      events.record('source.read', { source_id: source.uuid, passages: passages.length });
    } catch (thrown) {
      const reason = thrown instanceof AgentError ? thrown.message : 'The address could not be read.';
      sources.fail(source, reason);
      events.record('source.failed', { source_id: source.uuid, reason });
    }
  }

  return {
    start(source) {
      const job = run(source).finally(() => running.delete(job));
      running.add(job);
    },
    idle,
    async close() {
      closing.abort();
      await idle();
    },
  };
}

async function readSource(source: Source, signal: AbortSignal): Promise<NewPassage[]> {
  if (source.type === 'text')
    return toPassages(toBlocks(source.source)).map((passage) => ({
      ...passage,
      url: null,
      favicon: null,
      title: source.title,
    }));
  const pages: FetchedPage[] =
    source.type === 'website'
      ? await crawlSite(source.source, signal)
      : [await fetchPage(source.source, signal)];
  return pages.flatMap((page) =>
    toPassages(page.blocks).map((passage) => ({
      ...passage,
      url: page.url,
      favicon: page.favicon,
      title: page.title,
    })),
  );
}

/** From a source to its passages, in the background: processing, then success or failed. */

import { estimateTokens } from '../answer/tokens.ts';
import { AgentError } from '../errors.ts';
import type { EventLog } from '../events.ts';
import { keepTrying } from '../keep.ts';
import type { Source, SourceReading, SourceStore } from '../store/sources.ts';
import { createWatch } from '../watch.ts';
import { toBlocks, toPassages } from './chunk.ts';
import { crawlSite } from './crawl.ts';
import { type FetchedPage, fetchPage } from './fetchpage.ts';
import { fetchFile } from './file.ts';
import type { Block } from './html.ts';

export interface Ingest {
  /** In the place of an earlier reading of it that goes on still. */
  start(source: Source): void;
  /** How many pages of a source were read so far, while it is being read. */
  pagesRead(uuid: string): number | undefined;
  /** Forgets what is due to be forgotten, and reads again what is due to be read. */
  keepUp(): void;
  /** Resolves when nothing is being read any more. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Every so many pages a website's progress is told. */
const progressPages = 25;
const keepUpMs = 10_000;

export function createIngest(sources: SourceStore, events: EventLog): Ingest {
  /** By the uuid of the source. */
  const readings = new Map<string, AbortController>();
  const running = new Set<Promise<void>>();
  const progress = new Map<string, number>();
  const idle = async () => {
    while (running.size > 0) await Promise.all(running);
  };
  const report = (thrown: unknown) =>
    events.record('sources.failed', { cause: thrown instanceof Error ? thrown.stack : 'unknown' });

  /** @returns what keeps how it went */
  async function read(source: Source, signal: AbortSignal): Promise<() => void> {
    const onPage = (pages: number) => {
      progress.set(source.uuid, pages);
      if (pages % progressPages === 0)
        events.record('source.reading', { source_id: source.uuid, url: source.source, pages });
    };
    try {
      const reading = await readSource(source, signal, onPage);
      if (reading.passages.length === 0) throw new AgentError(400, 'source_empty', 'No text was found.');
      return () => {
        sources.succeed(source, reading);
        events.record('source.read', { source_id: source.uuid, passages: reading.passages.length });
      };
    } catch (thrown) {
      if (!(thrown instanceof AgentError)) report(thrown);
      const reason = thrown instanceof AgentError ? thrown.message : 'The address could not be read.';
      return () => {
        sources.fail(source, reason);
        events.record('source.failed', { source_id: source.uuid, reason });
      };
    }
  }

  async function run(source: Source, { signal }: AbortController) {
    const keep = await read(source, signal);
    // Another reading has taken its place, or the next start says that the service stopped.
    if (!signal.aborted) await keepTrying(keep, report, signal).catch(() => {});
  }

  function start(source: Source) {
    readings.get(source.uuid)?.abort();
    const own = new AbortController();
    readings.set(source.uuid, own);
    progress.delete(source.uuid);
    const job = run(source, own).finally(() => {
      running.delete(job);
      if (readings.get(source.uuid) !== own) return;
      readings.delete(source.uuid);
      progress.delete(source.uuid);
    });
    running.add(job);
  }
  const watch = createWatch({
    look() {
      sources.forgetDue();
      for (const source of sources.due()) {
        sources.markProcessing(source);
        start(source);
      }
      return Number.POSITIVE_INFINITY;
    },
    report,
    now: Date.now,
    maxIdleMs: keepUpMs,
  });

  return {
    start,
    keepUp: watch.wake,
    idle,
    pagesRead: (uuid) => progress.get(uuid),
    async close() {
      watch.stop();
      for (const reading of readings.values()) reading.abort();
      await idle();
    },
  };
}

async function readSource(
  source: Source,
  signal: AbortSignal,
  onPage: (pages: number) => void,
): Promise<SourceReading> {
  if (source.type === 'text') {
    const { title, source: content } = source;
    const passages = toPassages(toBlocks(content)).map((one) => ({
      ...one,
      url: null,
      favicon: null,
      title,
    }));
    return { passages, content, links: [], tokens: estimateTokens(content), error: null };
  }
  if (source.type === 'website') return toReading(await crawlSite(source.source, signal, onPage), []);
  const pages: FetchedPage[] = [];
  const unreadable: string[] = [];
  const addresses = source.source.split('\n');
  for (const address of addresses) {
    try {
      pages.push(await (source.type === 'file' ? fetchFile : fetchPage)(address, signal));
      onPage(pages.length);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      if (addresses.length === 1) throw thrown;
      const reason = thrown instanceof AgentError ? thrown.message : 'The address could not be read.';
      unreadable.push(`${address}: ${reason}`);
    }
  }
  if (pages.length === 0) throw new AgentError(400, 'page_unreadable', unreadable.join(' '));
  return toReading(pages, unreadable);
}

function toReading(pages: readonly FetchedPage[], unreadable: readonly string[]): SourceReading {
  const texts = pages.map(({ blocks }) => blocks.map(toLine).join('\n'));
  return {
    passages: pages.flatMap(({ url, favicon, title, blocks }) =>
      toPassages(blocks).map((passage) => ({ ...passage, url, favicon, title })),
    ),
    content: texts.join('\n\n'),
    links: pages.map(({ url, title }, index) => ({ url, title, tokens: estimateTokens(texts[index]!) })),
    tokens: texts.reduce((sum, text) => sum + estimateTokens(text), 0),
    error: unreadable.length > 0 ? unreadable.join(' ') : null,
  };
}

function toLine({ kind, level, text }: Block): string {
  if (kind === 'heading') return `${'#'.repeat(level)} ${text}`;
  return kind === 'item' || kind === 'step' ? `- ${text}` : text;
}

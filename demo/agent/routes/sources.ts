/** Training sources: create, read, readall, update, delete; and search over their passages. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot, requireManager } from '../access.ts';
import { AgentError } from '../errors.ts';
import { paging, takes, target, texts } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import { toUrl } from '../retrieval/fetchpage.ts';
import { toTerms } from '../retrieval/terms.ts';
import { toWords } from '../retrieval/words.ts';
import type { Bot } from '../store/bots.ts';
import {
  type Frequency,
  frequencies,
  type Lifetime,
  lifetimes,
  type Source,
  type SourceType,
  sourceTypes,
} from '../store/sources.ts';
import { toIso } from '../time.ts';

const maxAddresses = 50;

const title = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(300));
const description = v.optional(v.nullable(v.pipe(v.string(), v.maxLength(2000))));
const forgetAfter = v.picklist(Object.keys(lifetimes) as Lifetime[]);
const syncFrequency = v.picklist(Object.keys(frequencies) as Frequency[]);
const address = v.pipe(v.string(), v.minLength(1));
const addresses = v.union([
  address,
  v.pipe(v.array(address), v.minLength(1, '1 to 50 addresses are needed'), v.maxLength(maxAddresses)),
]);

export function routeSources(app: Hono<AccessEnv>, parts: Parts) {
  const { sources, search } = parts;
  const requireSource = (bot: Bot, uuid: string): Source => {
    const source = sources.find(bot.uuid, uuid);
    if (!source) throw new AgentError(404, 'source_not_found', 'This bot has no such source.');
    return source;
  };
  const toWire = (source: Source) => ({
    ...toWireSource(source),
    ...(source.status === 'processing' ? { pages_read: parts.ingest.pagesRead(source.uuid) ?? 0 } : {}),
  });

  app.post(
    '/v1/bot/source/create',
    takes({
      ...target,
      title: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(300))),
      description,
      type: v.picklist(sourceTypes),
      source: addresses,
      tags: v.optional(texts, []),
      forget_after: v.optional(forgetAfter, 'never'),
      sync_frequency: v.optional(syncFrequency, 'never'),
    }),
    async (c) => {
      const caller = c.get('caller');
      const input = c.get('input');
      const read = readSource(input.type, input.source);
      const bot = requireBot(parts, caller, input);
      requireManager(caller);
      const source = sources.create(bot.uuid, {
        title: input.title || (input.type === 'text' ? 'Text' : read.split('\n')[0]!.slice(0, 300)),
        description: input.description ?? null,
        type: input.type,
        source: read,
        tags: input.tags,
        forget_after: input.forget_after,
        sync_frequency: input.sync_frequency,
      });
      parts.events.record('source.created', { source_id: source.uuid, type: source.type });
      parts.ingest.start(source);
      return c.json({ success: true, source: toWire(source) }, 201);
    },
  );

  const ofSource = { ...target, source_id: v.pipe(v.string(), v.minLength(1), v.maxLength(200)) };

  app.get('/v1/bot/source/read', takes(ofSource), async (c) => {
    const input = c.get('input');
    const source = requireSource(requireBot(parts, c.get('caller'), input), input.source_id);
    return c.json({ source: { ...toWire(source), content: sources.readContent(source) } });
  });

  app.get('/v1/bot/source/readall', takes({ ...target, ...paging }), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    const page = readPage(input);
    const { sources: found, total } = sources.list(bot.uuid, page);
    return c.json({ sources: found.map(toWire), pagination: toPagination(page, total) });
  });

  const changes = {
    title: v.optional(title),
    description,
    tags: v.optional(v.nullable(texts)),
    forget_after: v.optional(forgetAfter),
    sync_frequency: v.optional(syncFrequency),
    // A text's own record has none.
    source: v.nullish(addresses),
  };

  app.put('/v1/bot/source/update', takes({ ...ofSource, ...changes }), async (c) => {
    const caller = c.get('caller');
    const input = c.get('input');
    const bot = requireBot(parts, caller, input);
    requireManager(caller);
    const source = requireSource(bot, input.source_id);
    const { description: newDescription, tags, forget_after, sync_frequency, source: newSource } = input;
    const updated = sources.update(source, {
      ...(input.title === undefined ? {} : { title: input.title }),
      ...(newDescription === undefined ? {} : { description: newDescription }),
      ...(tags === undefined ? {} : { tags: tags ?? [] }),
      ...(forget_after === undefined ? {} : { forget_after }),
      ...(sync_frequency === undefined ? {} : { sync_frequency }),
      ...(newSource == null ? {} : { source: readSource(source.type, newSource) }),
    });
    // The passages of a text are called as it is.
    const isRenamed = source.type === 'text' && updated.title !== source.title;
    if (newSource != null || isRenamed) parts.ingest.start(updated);
    const wire = toWire(updated);
    const sent = Object.keys(changes).filter((name) => input[name as keyof typeof input] !== undefined);
    return c.json({
      id: wire.id,
      status: wire.status,
      updated_at: wire.updated_at,
      ...Object.fromEntries(sent.map((name) => [name, wire[name as keyof typeof wire]])),
    });
  });

  app.delete('/v1/bot/source/delete', takes(ofSource), async (c) => {
    const caller = c.get('caller');
    const input = c.get('input');
    const bot = requireBot(parts, caller, input);
    requireManager(caller);
    requireSource(bot, input.source_id);
    sources.delete(bot.uuid, input.source_id);
    return c.json({ success: true, message: 'The source was deleted.' });
  });

  app.post(
    '/v1/bot/search',
    takes({
      ...target,
      keywords: v.union([v.pipe(v.string(), v.minLength(1), v.maxLength(1000)), texts]),
      source_ids: v.optional(texts),
      tags: v.optional(texts),
      top: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50)), 5),
    }),
    async (c) => {
      const input = c.get('input');
      const bot = requireBot(parts, c.get('caller'), input);
      const text = [input.keywords].flat().join(' ');
      const terms = toTerms(text);
      const words = terms.length > 0 ? terms.map(({ word }) => word) : toWords(text);
      const found = search.find(
        { botId: bot.uuid, sourceIds: input.source_ids, tags: input.tags },
        words,
        input.top,
      );
      return c.json({
        results: found.map(({ id: _id, ...passage }) => ({
          source_id: passage.source_id,
          title: passage.title,
          url: passage.url,
          section: passage.section,
          content: passage.content,
          type: passage.type,
          tags: passage.tags,
          score: passage.score,
        })),
        total: found.length,
      });
    },
  );
}

/** As the store keeps it: a text as it is, addresses one a line. */
function readSource(type: SourceType, source: string | string[]): string {
  const isList = type === 'webpage' || type === 'file';
  if (Array.isArray(source) && !isList)
    throw new AgentError(400, 'invalid_parameters', `source: of a ${type} a string is needed.`);
  if (type === 'text') return source as string;
  return [source]
    .flat()
    .map((each) => {
      const url = toUrl(each);
      if (!url) throw new AgentError(400, 'invalid_parameters', 'source: an http or https URL is needed.');
      return url.href;
    })
    .join('\n');
}

function toWireSource(source: Source) {
  return {
    uuid: source.uuid,
    id: source.uuid,
    title: source.title,
    description: source.description,
    type: source.type,
    source: toWireAddresses(source),
    tags: source.tags,
    status: source.status,
    error: source.error,
    passages: source.passages,
    tokens: source.tokens,
    links: source.links,
    forget_after: source.forget_after,
    forget_after_at: source.forget_after_at === null ? null : toIso(source.forget_after_at),
    sync_frequency: source.sync_frequency,
    synced_at: source.synced_at === null ? null : toIso(source.synced_at),
    created_at: toIso(source.created_at),
    updated_at: toIso(source.updated_at),
  };
}

/** A text is as long as it likes: `source/read` gives it as content. */
function toWireAddresses({ type, source }: Source): string | string[] | null {
  if (type === 'text') return null;
  return type === 'website' ? source : source.split('\n');
}

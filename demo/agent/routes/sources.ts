/** Training sources: create, read, readall, delete; and search over their passages. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot } from '../access.ts';
import { AgentError } from '../errors.ts';
import { paging, readInput, target, texts } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import { toUrl } from '../retrieval/fetchpage.ts';
import { toTerms } from '../retrieval/terms.ts';
import { toWords } from '../retrieval/words.ts';
import type { Source, SourceType } from '../store/sources.ts';
import { toIso } from '../turns/wire.ts';

export function routeSources(app: Hono<AccessEnv>, parts: Parts) {
  const { sources, search } = parts;

  app.post('/v1/bot/source/create', async (c) => {
    const caller = c.get('caller');
    const input = await readInput(c, {
      ...target,
      title: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(300))),
      type: v.picklist(['text', 'website', 'webpage']),
      source: v.pipe(v.string(), v.minLength(1)),
      tags: v.optional(texts, []),
    });
    const bot = requireBot(parts, caller, input);
    if (!caller.runsProject)
      throw new AgentError(403, 'forbidden', 'Sources are made by owners and admins of the project.');
    const source = sources.create(bot.uuid, {
      title: input.title || (input.type === 'text' ? 'Text' : input.source),
      type: input.type,
      source: readSource(input.type, input.source),
      tags: input.tags,
    });
    parts.events.record('source.created', { source_id: source.uuid, type: source.type });
    parts.ingest.start(source);
    return c.json({ success: true, source: toWireSource(source) }, 201);
  });

  const ofSource = { ...target, source_id: v.pipe(v.string(), v.minLength(1)) };

  app.get('/v1/bot/source/read', async (c) => {
    const input = await readInput(c, ofSource);
    const source = sources.find(requireBot(parts, c.get('caller'), input).uuid, input.source_id);
    if (!source) throw new AgentError(404, 'source_not_found', 'This bot has no such source.');
    return c.json({ source: toWireSource(source) });
  });

  app.get('/v1/bot/source/readall', async (c) => {
    const input = await readInput(c, { ...target, ...paging });
    const bot = requireBot(parts, c.get('caller'), input);
    const page = readPage(input);
    const { sources: found, total } = sources.list(bot.uuid, page);
    return c.json({ sources: found.map(toWireSource), pagination: toPagination(page, total) });
  });

  app.delete('/v1/bot/source/delete', async (c) => {
    const caller = c.get('caller');
    const input = await readInput(c, ofSource);
    const bot = requireBot(parts, caller, input);
    if (!caller.runsProject)
      throw new AgentError(403, 'forbidden', 'Sources are deleted by owners and admins of the project.');
    if (!sources.delete(bot.uuid, input.source_id))
      throw new AgentError(404, 'source_not_found', 'This bot has no such source.');
    return c.json({ success: true, message: 'The source was deleted.' });
  });

  app.post('/v1/bot/search', async (c) => {
    const input = await readInput(c, {
      ...target,
      keywords: v.union([v.pipe(v.string(), v.minLength(1), v.maxLength(1000)), texts]),
      source_ids: v.optional(texts),
      tags: v.optional(texts),
      top: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50)), 5),
    });
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
  });
}

function readSource(type: SourceType, source: string): string {
  if (type === 'text') return source;
  const url = toUrl(source);
  if (!url) throw new AgentError(400, 'invalid_parameters', 'source: an http or https URL is needed.');
  return url.href;
}

function toWireSource(source: Source) {
  return {
    uuid: source.uuid,
    title: source.title,
    type: source.type,
    // A text is as long as it likes; its title is enough in a list.
    source: source.type === 'text' ? null : source.source,
    tags: source.tags,
    status: source.status,
    error: source.error,
    passages: source.passages,
    created_at: toIso(source.created_at),
    updated_at: toIso(source.updated_at),
  };
}

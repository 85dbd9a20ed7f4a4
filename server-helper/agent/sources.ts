/** What an answer rests on, as the agent lists it. Pure. */
import type { Source } from '../protocol/wire.ts';
import { asObject, asString } from './json.ts';

/** The agent's source list → ours; entries without a title are named by their address. */
export function readSources(value: unknown): Source[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 50).flatMap((item, index) => {
    const entry = asObject(item);
    if (!entry) return [];
    const url = toWebUrl(entry.url);
    const source: Source = {
      number: typeof entry.citation_number === 'number' ? entry.citation_number : index + 1,
      id: asString(entry.source_id) ?? String(index + 1),
      title: asString(entry.title) ?? url ?? `Source ${index + 1}`,
      type: asString(entry.type) ?? 'text',
    };
    if (url !== undefined) source.url = url;
    return [source];
  });
}

function toWebUrl(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    const url = new URL(value);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
  } catch {
    return undefined;
  }
}

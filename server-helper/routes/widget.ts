/** `GET /widget/*`: the built bundle, from memory. */
import { HelperError } from '../errors.ts';
import type { Exchange } from './exchange.ts';

export type WidgetFile = {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  brotli?: Uint8Array<ArrayBuffer>;
  immutable: boolean;
};
/** By name: `loader.js`, `app-<hash>.js`, … */
export type WidgetFiles = ReadonlyMap<string, WidgetFile>;

export function getWidgetFile(files: WidgetFiles, exchange: Exchange): Response {
  const file = files.get(exchange.params.file ?? '');
  if (!file) throw new HelperError('not-found');
  const brotli = /\bbr\b/.test(exchange.request.headers.get('accept-encoding') ?? '')
    ? file.brotli
    : undefined;
  const headers: Record<string, string> = {
    'content-type': file.type,
    // A module is fetched with CORS, and so is a script with an integrity hash.
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
    vary: 'accept-encoding',
  };
  if (brotli) headers['content-encoding'] = 'br';
  return new Response(brotli ?? file.bytes, { headers });
}

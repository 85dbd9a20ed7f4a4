/** `GET /widget/*`: the built bundle, from memory. */
import { HelperError } from '../errors.ts';
import type { Exchange } from './exchange.ts';

export type WidgetFile = {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  brotli?: Uint8Array<ArrayBuffer>;
  /** Of a file whose name stays while its content changes; one without never changes. */
  etag?: string;
};
/** By name: `loader.js`, `app-<hash>.js`, … */
export type WidgetFiles = ReadonlyMap<string, WidgetFile>;

/** What a loader asks for by the name it was built with; a page that was loaded before an upgrade asks for an old one. */
const entries = ['app', 'seldom'];

export function getWidgetFile(files: WidgetFiles, { params, request }: Exchange): Response {
  const { file: name = '' } = params;
  const file = files.get(name);
  if (!file) return toCurrent(files, name);
  const headers: Record<string, string> = {
    ...shared,
    'content-type': file.type,
    'x-content-type-options': 'nosniff',
    // The alias is asked for anew at each page: one that is out of date would name files that are gone.
    'cache-control': file.etag ? 'no-cache' : 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  };
  if (file.etag) {
    headers.etag = file.etag;
    if (request.headers.get('if-none-match')?.includes(file.etag))
      return new Response(null, { status: 304, headers });
  }
  const brotli = /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(request.headers.get('accept-encoding') ?? '')
    ? file.brotli
    : undefined;
  if (brotli) headers['content-encoding'] = 'br';
  return new Response(brotli ?? file.bytes, { headers });
}

/** A module is fetched with CORS, and so is a script with an integrity hash. */
const shared = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };

function toCurrent(files: WidgetFiles, name: string): Response {
  const entry = entries.find((one) => name.startsWith(`${one}-`) && name.endsWith('.js'));
  const current = entry && [...files.keys()].find((one) => one.startsWith(`${entry}-`));
  if (!current) throw new HelperError('not-found');
  // No redirect: its other files import it by its name, and to a browser that would be a second one.
  return new Response(`export * from './${current}';`, {
    headers: {
      ...shared,
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
  });
}

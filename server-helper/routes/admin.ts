/** `GET /admin`: the owner's page, to whoever knows its password. */
import { toFirstHour, toNumbers } from '../admin/numbers.ts';
import { writePage } from '../admin/page.ts';
import { isSameText, makeRandomHex } from '../auth/keys.ts';
import { HelperError } from '../errors.ts';
import type { Exchange, Parts } from './exchange.ts';

/** @throws HelperError `not-found` where no password is set, `rate-limited` where many are tried */
export async function getAdmin(parts: Parts, { request, address }: Exchange): Promise<Response> {
  const { adminPassword, botId } = parts.config;
  if (adminPassword === undefined || !parts.tallies) throw new HelperError('not-found');
  const given = readPassword(request.headers.get('authorization'));
  // Also where limits are off: those are of questions.
  if (given !== undefined) await parts.limiter.take('admin', undefined, address);
  if (given === undefined || !(await isSameText(given, adminPassword))) return askForPassword();
  await parts.tallies.flush();
  const nowMs = parts.now();
  const nonce = makeRandomHex(16);
  const page = await writePage({
    botId,
    nonce,
    now: new Date(nowMs),
    numbers: toNumbers(await parts.store.readTallies(botId, toFirstHour(nowMs)), nowMs),
    gauges: {
      ...parts.engine.measure(),
      readers: parts.readers.count,
      process: parts.measureProcess?.(true),
    },
  });
  return new Response(String(page), { headers: { ...headers, 'content-security-policy': toPolicy(nonce) } });
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};
const toPolicy = (nonce: string) =>
  `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

/** Of HTTP's Basic scheme, whatever the name is. */
function readPassword(authorization: string | null): string | undefined {
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  try {
    const pair = atob(encoded);
    return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : undefined;
  } catch {
    return undefined;
  }
}

function askForPassword(): Response {
  return new Response('The password of the owner’s page is needed.\n', {
    status: 401,
    headers: {
      ...headers,
      'content-type': 'text/plain; charset=utf-8',
      'www-authenticate': 'Basic realm="Porchlight", charset="UTF-8"',
    },
  });
}

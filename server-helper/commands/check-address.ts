/** Looks at the helper as browsers reach it: the path, the widget’s files, the origins, and what a page’s policy has to allow. */
import type { Config } from '../config.ts';
import { toCauseCode } from '../errors.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 10_000;

/** @param url without a slash at its end @returns nothing that is ok where no helper answers there */
export async function checkAddress(url: string, { origins, botId }: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  const add = (state: Finding['state'], text: string) => findings.push({ about: 'address', state, text });
  const get = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
  try {
    const health = await get('/healthz');
    const isHelper =
      health.ok && ((await health.json().catch(() => ({}))) as { status?: unknown }).status === 'ok';
    if (!isHelper) {
      add(
        'wrong',
        [502, 503, 504].includes(health.status)
          ? `${url}/healthz is answered with ${health.status} by a proxy that reaches no helper: does it run, at the address that the proxy names?`
          : `${url}/healthz is answered with ${health.status}, and not by the helper: is the path PORCHLIGHT_BASE_PATH, and does the proxy pass it on whole?`,
      );
      return findings;
    }
    const loader = await get('/widget/loader.js');
    const type = loader.headers.get('content-type') ?? 'nothing';
    // A process of its own tells its health under the root too.
    if (loader.status === 404 && /problem/.test(type)) {
      add(
        'wrong',
        `${url}/widget/loader.js is not what the helper is asked for: the proxy takes the path off. In nginx no slash may stand behind the port in proxy_pass`,
      );
      return findings;
    }
    const ready = await get('/readyz');
    const { status } = (await ready.json()) as { status: string };
    add(ready.ok ? 'ok' : 'wrong', ready.ok ? `${url} is ready` : `${url}/readyz says ${status}`);
    if (loader.ok && /javascript/.test(type) && (await loader.text()).includes('porchlight-chat'))
      add('ok', `the tag: <script async src="${url}/widget/loader.js" data-bot-id="${botId}"></script>`);
    else
      add(
        'wrong',
        `${url}/widget/loader.js is answered with ${loader.status} as ${type}: the widget’s files are not served, or changed on the way`,
      );
    const policy = loader.headers.get('cross-origin-resource-policy');
    if (policy !== null && policy !== 'cross-origin' && origins?.size)
      add(
        'wrong',
        `${url}/widget/loader.js is sent with Cross-Origin-Resource-Policy: ${policy}: pages of other origins may not load it. Does a middleware or the proxy set that header?`,
      );
    for (const origin of origins ?? []) {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const preflight = await get('/session', { method: 'OPTIONS', headers });
      if (preflight.headers.get('access-control-allow-origin') !== origin)
        add(
          'wrong',
          `a page of ${origin} may not call ${url}: does the proxy answer OPTIONS itself, or does another helper stand there?`,
        );
    }
    const own = new URL(url).origin;
    add(
      'note',
      `a page with a Content Security Policy needs: script-src ${own}; connect-src ${own}; img-src ${own}`,
    );
  } catch (error) {
    const reason = toCauseCode((error as Error).cause ?? error);
    add('wrong', `${url} cannot be reached from here (${reason === 'internal' ? 'no answer' : reason})`);
  }
  return findings;
}

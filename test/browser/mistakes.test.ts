/** The table "Where a mistake shows" of docs/operation.md: each mistake is made, and every cell of its row looked at. */
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchBrowser, visit } from '../support/browser.ts';
import { type FakeAgent, type Route, sendJson, startFakeAgent } from '../support/fake-agent.ts';
import { toPage } from '../support/fakehelper.ts';
import { type HelperOptions, type RunningHelper, startHelper } from '../support/helper-process.ts';
import { makeSsoToken, signJwt } from '../support/visitor.ts';

const question = 'Is anybody there?';
const metricsToken = 'metrics-token-of-forty-characters-0123456';
const secretOfAnother = 'another-secret-5f0a3be19c7d2468e0b1a3';

type Mistake = {
  /** What the agent says to every call. */
  agent?: (agent: FakeAgent) => void;
  helper?: Partial<HelperOptions>;
  after?: (helper: RunningHelper) => Promise<void>;
  /** Of the page; `here` is what the browser knows the helper as. */
  policy?: (here: string) => string;
  tag?: (html: string, here: string) => string;
  /** What stands between the browser and the helper. */
  proxy?: (helper: RunningHelper) => RequestListener;
};

const refuseAll = (status: number, body: object) => (agent: FakeAgent) => {
  const refuse: Route = (_, response) => sendJson(response, body, status);
  for (const name of ['GET /v1/bot/read', 'POST /v1/bot/workspace/create', 'POST /v1/bot/chat'])
    agent.override(name, refuse);
};
const withToken = (token: string) => (html: string) =>
  html.replace('data-bot-id', `data-user-token="${token}" data-bot-id`);

/** By the first cell of the row. */
const mistakes: Record<string, Mistake> = {
  '`PORCHLIGHT_API_KEY` is wrong': { agent: refuseAll(401, { error: { code: 'invalid_api_key' } }) },
  '`PORCHLIGHT_PROJECT_ID` or `PORCHLIGHT_BOT_ID` is': {
    agent: refuseAll(404, { error: { code: 'bot_not_found' } }),
  },
  '`PORCHLIGHT_AGENT_URL` is': { helper: { agentUrl: 'http://127.0.0.1:9' } },
  '`PORCHLIGHT_SSO_SECRET` is another than the site signs with': {
    tag: (html) => withToken(signJwt({ ...claimsNow(), email: 'ada@shop.test' }, secretOfAnother))(html),
  },
  '`PORCHLIGHT_SSO_SECRET` is missing, and pages hand over tokens': {
    helper: { env: { PORCHLIGHT_SSO_SECRET: '' } },
    tag: (html) => withToken(makeSsoToken())(html),
  },
  '`PORCHLIGHT_ORIGINS` is without the page’s': { helper: { env: { PORCHLIGHT_ORIGINS: '' } } },
  '`PORCHLIGHT_TRUSTED_PROXIES` is, behind a proxy': {
    helper: { env: { PORCHLIGHT_LIMITS: '' } },
    proxy: (helper) => passOn(helper, { 'x-forwarded-for': '192.0.2.7' }),
  },
  'the helper’s clock is ahead': {
    helper: { movableClock: true },
    after: (helper) => helper.advance(20 * 60_000),
    tag: (html) => withToken(makeSsoToken())(html),
  },
  'a Content Security Policy without `connect-src`': {
    policy: (here) => `default-src 'none'; script-src ${here}; img-src ${here}`,
  },
  'one without `script-src`': { policy: (here) => `default-src 'none'; connect-src ${here}` },
  '`data-helper` is wrong': {
    tag: (html) => html.replace('data-bot-id', 'data-helper="http://127.0.0.1:9/porchlight" data-bot-id'),
  },
  '`data-bot-id` is missing': { tag: (html) => html.replace('data-bot-id', 'data-agent') },
  'it is another than the helper’s': {
    tag: (html) => html.replace(/data-bot-id="[^"]*"/, 'data-bot-id="another"'),
  },
  'a proxy holds answers back': { proxy: (helper) => passOn(helper, {}) },
};

function claimsNow() {
  const iat = Math.floor(Date.now() / 1000);
  return { iat, exp: iat + 600 };
}

/** Gives each reply when all of it has come. */
function passOn(helper: RunningHelper, added: Record<string, string>): RequestListener {
  const pass: RequestListener = async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { connection: _, ...headers } = { ...request.headers, ...added } as Record<string, string>;
    const method = request.method as string;
    const got = await fetch(helper.origin + request.url, {
      method,
      headers,
      ...(parts.length > 0 && { body: Buffer.concat(parts) }),
    });
    const whole = Buffer.from(await got.arrayBuffer());
    const { 'content-encoding': __, 'content-length': ___, ...rest } = Object.fromEntries(got.headers);
    response.writeHead(got.status, rest).end(whole);
  };
  // The helper may be closed before the page is.
  return (request, response) => void Promise.resolve(pass(request, response)).catch(() => response.destroy());
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const page = readFileSync(new URL('../../docs/operation.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('## Where a mistake shows'));
const rows = section
  .slice(0, section.indexOf('\n## ', 1))
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.slice(2, -2).split(' | ') as [string, string, string, string, string]);

test('the table has a row for each mistake, and no other', () => {
  expect(rows.map(([what]) => what)).toEqual(Object.keys(mistakes));
});

const nothing = '–';
/** What a cell quotes, or nothing. */
const toWords = (cell: string) => (cell === nothing ? undefined : (/`([^`]+)`/.exec(cell)?.[1] ?? cell));

test.each(rows)('%s', async (what, read, console, log, metric) => {
  const mistake = mistakes[what] as Mistake;
  const agent = await startFakeAgent();
  mistake.agent?.(agent);
  let html = '';
  let policy: string | undefined;
  const site = await listen((_, response) => {
    const headers = { 'content-type': 'text/html', ...(policy && { 'content-security-policy': policy }) };
    response.writeHead(200, headers).end(html);
  });
  const { env, ...options } = mistake.helper ?? {};
  const helper = await startHelper({
    agentUrl: agent.url,
    ...options,
    env: { PORCHLIGHT_ORIGINS: site, PORCHLIGHT_METRICS_TOKEN: metricsToken, ...env },
  });
  onTestFinished(async () => {
    await helper.close();
    await agent.close();
  });
  await mistake.after?.(helper);
  const here = mistake.proxy ? await listen(mistake.proxy(helper)) : helper.origin;
  html = toPage(`${here}${helper.basePath}`).replace('"vesper"', '"bot-1"');
  html = mistake.tag?.(html, here) ?? html;
  policy = mistake.policy?.(here);

  const { context, page, chat } = await visit(browser, 'about:blank');
  onTestFinished(() => context.close());
  const said: string[] = [];
  page.on('console', (message) => void said.push(message.text()));
  await page.goto(site);

  if (read === 'there is no chat') {
    await page.waitForLoadState('networkidle');
    expect(await chat.launcher.count()).toBe(0);
  } else {
    await chat.open();
    await chat.ask(question);
    await chat.panel
      .getByText(toWords(read) ?? 'Hello there.')
      .first()
      .waitFor();
  }
  const words = toWords(console);
  if (words) await expect.poll(() => said.filter((line) => line.includes(words))).not.toEqual([]);
  else expect(said.filter((line) => line.startsWith('Porchlight'))).toEqual([]);

  const warned = () =>
    helper.output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { level: string | number; msg: string })
      .filter(({ level }) => !/info|30/.test(String(level)))
      .map(({ msg }) => msg);
  const line = toWords(log);
  if (line) await expect.poll(() => warned().filter((msg) => msg.startsWith(line))).not.toEqual([]);
  else expect(warned()).toEqual([]);

  const metrics = async () => {
    const reply = await helper.fetch('/metrics', { headers: { authorization: `Bearer ${metricsToken}` } });
    return (await reply.text()).split('\n');
  };
  const sample = toWords(metric);
  const wanted = (one: string) =>
    sample ? one.startsWith(`${sample} `) : /^porchlight_(refusals|turn_failures|limits)_total\{/.test(one);
  if (sample) await expect.poll(async () => (await metrics()).filter(wanted)).toHaveLength(1);
  else expect((await metrics()).filter(wanted)).toEqual([]);
});

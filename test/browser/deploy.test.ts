/** A deploy, seen by a visitor: helpers that share a Redis go and come behind a balancer while an answer is written. */
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findChat, launchBrowser } from '../support/browser.ts';
import { type FakeAgent, startFakeAgent } from '../support/fake-agent.ts';
import { type RunningHelper, startHelper } from '../support/helper-process.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { tellWords } from '../support/slow-words.ts';

let redis: TestRedis;
let agent: FakeAgent;
const helpers: RunningHelper[] = [];
beforeAll(async () => {
  [redis, agent] = await Promise.all([startRedis(), startFakeAgent()]);
}, 60_000);
afterAll(async () => {
  for (const helper of helpers) await helper.close();
  await agent?.close();
  await redis?.stop();
});

async function start(): Promise<RunningHelper> {
  const env = { PORCHLIGHT_STORE: redis.url };
  const helper = await startHelper({ agentUrl: agent.url, env, movableClock: true });
  helpers.push(helper);
  return helper;
}

/** The site: a page with the tag, and a way to whichever helper is the one that takes requests. */
async function startSite(first: RunningHelper) {
  const site = { current: first, url: '', failed: 0, async stop() {} };
  const server = createServer((request, response) => {
    if (request.url === '/') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      return response.end(
        '<!doctype html><title>Site</title><script async src="/porchlight/widget/loader.js"></script>',
      );
    }
    const { method, headers } = request;
    const passed = ask(site.current.origin + request.url, { method, headers }, (answer) => {
      if ((answer.statusCode ?? 500) >= 500) site.failed += 1;
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      response.flushHeaders();
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    return request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  site.stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  return site;
}

test('an answer goes on over two restarts, and no sentence of a failure is shown', async () => {
  const site = await startSite(await start());
  const browser = await launchBrowser();
  const page = await browser.newPage();
  const chat = findChat(page);
  await page.goto(site.url);
  await chat.open();
  const words = Array.from({ length: 500 }, (_, index) => `w${index} `);
  agent.nextChat(tellWords(agent, words, 30));
  await chat.ask('What about boots?');
  await chat.waitForWords(10);
  const sentences = new Set<string>();
  const statuses = new Set<string | null>();
  let isOver = false;
  const watch = async () => {
    while (!isOver) {
      statuses.add(await chat.answers.first().getAttribute('data-status'));
      // All that stands there but the answer's own words.
      const shown = await chat.panel.innerText();
      sentences.add(shown.replace(/w\d+/g, '').replace(/\s+/g, ' ').trim());
      await page.waitForTimeout(50);
    }
  };
  const watching = watch();
  for (const seen of [60, 140]) {
    await chat.waitForWords(seen);
    const leaving = site.current;
    site.current = await start();
    leaving.child.kill('SIGTERM');
    await page.waitForTimeout(200);
    // Its time to end what runs there is over.
    await Promise.race([leaving.advance(25_000), leaving.exited]);
    expect(await leaving.exited).toMatchObject({ code: 0 });
  }
  const answer = await chat.waitForAnswer('completed');
  isOver = true;
  await watching;
  expect(await chat.readBody(answer)).toBe(words.join('').trim());
  const usual = /^Wren What about boots\?( [\d:]+\s[AP]M)?( Answer:( …)?)?$/;
  expect([...sentences].filter((shown) => !usual.test(shown))).toEqual([]);
  expect([...statuses].filter((status) => status !== 'writing' && status !== 'completed')).toEqual([]);
  expect(site.failed).toBe(0);
  expect(agent.callsTo('POST /v1/bot/chat')).toHaveLength(1);
  await browser.close();
  await site.stop();
}, 90_000);

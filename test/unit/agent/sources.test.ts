/** Sources: websites are followed, webpages are not, search is ranked and scoped. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../demo/agent/db.ts';
import { type ShopAgent, startShopAgent } from '../../support/agentservice.ts';

describe('training sources', () => {
  let agent: ShopAgent;
  beforeEach(async () => {
    agent = await startShopAgent();
  });
  afterEach(() => agent.close());

  const create = async (input: object) => {
    const created = await agent.client.call('POST', '/v1/bot/source/create', input);
    await agent.service.idle();
    const { uuid } = created.body.source;
    return (await agent.client.call('GET', '/v1/bot/source/read', { source_id: uuid })).body.source;
  };
  const search = async (keywords: string, input: object = {}) =>
    (await agent.client.call('POST', '/v1/bot/search', { keywords, ...input })).body.results;

  test('a website source follows links of its own origin and survives a broken one', async () => {
    const titles = (await search('larkfield tents returns canada refund contact write', { top: 50 })).map(
      ({ title }: { title: string }) => title,
    );
    expect(new Set(titles)).toEqual(
      new Set(
        ['Home', 'Shipping', 'Returns', 'Repairs', 'Tents', 'Contact'].map(
          (name) => `${name} | Larkfield Outdoor`,
        ),
      ),
    );
  });

  test('each passage keeps the title and the address of its page', async () => {
    const [best] = await search('duties Canada');
    expect(best).toMatchObject({
      title: 'Shipping | Larkfield Outdoor',
      url: `${agent.shop.url}/shipping.html`,
      section: 'Canada',
    });
  });

  test('words of the navigation, the footer and scripts are not found', async () => {
    expect(await search('nobody quotes secretWord')).toEqual([]);
  });

  test('a webpage source reads that page alone', async () => {
    const source = await create({ type: 'webpage', source: `${agent.shop.url}/repairs.html` });
    expect(source).toMatchObject({ status: 'success', type: 'webpage' });
    const found = await search('tent', { source_ids: [source.uuid], top: 50 });
    expect(new Set(found.map(({ url }: { url: string }) => url))).toEqual(
      new Set([`${agent.shop.url}/repairs.html`]),
    );
  });

  test('reading the same address again replaces the old source', async () => {
    const before = await search('Canada duties', { top: 50 });
    await create({ type: 'website', source: agent.shop.url });
    expect((await search('Canada duties', { top: 50 })).length).toBe(before.length);
    expect((await agent.client.call('GET', '/v1/bot/source/readall')).body.pagination.total).toBe(1);
  });

  test('an address that cannot be read makes the source failed, with the reason', async () => {
    const source = await create({ type: 'webpage', source: `${agent.shop.url}/nowhere.html` });
    expect(source).toMatchObject({ status: 'failed', error: 'The page answered 404.', passages: 0 });
  });

  test('tags and source ids narrow a search', async () => {
    const source = await create({ type: 'text', title: 'Note', source: 'Tents for staff.', tags: ['staff'] });
    expect((await search('tents', { tags: ['staff'] })).length).toBe(1);
    expect((await search('tents', { source_ids: [source.uuid] })).length).toBe(1);
    expect(await search('tents', { tags: ['nobody'] })).toEqual([]);
  });

  test('a text that gets another title is found and cited by that', async () => {
    const source = await create({ type: 'text', title: 'Old name', source: 'Herons nest in April.' });
    const update = { source_id: source.uuid, title: 'Wading birds' };
    await agent.client.call('PUT', '/v1/bot/source/update', update);
    await agent.service.idle();
    expect(await search('wading')).toMatchObject([
      { title: 'Wading birds', content: 'Herons nest in April.' },
    ]);
    expect(await search('old name', { source_ids: [source.uuid] })).toEqual([]);
  });

  test('a deleted source is found no more', async () => {
    await agent.client.call('DELETE', '/v1/bot/source/delete', { source_id: agent.sourceId });
    expect(await search('Canada')).toEqual([]);
  });

  test('search operators in the words of a question are words', async () => {
    expect((await search('Canada" OR NEAR( * ) AND title:')).length).toBeGreaterThan(0);
  });

  test('a source that is no http address is 400', async () => {
    const { status } = await agent.client.call('POST', '/v1/bot/source/create', {
      type: 'webpage',
      source: 'file:///etc/hosts',
    });
    expect(status).toBe(400);
  });
});

describe('another reading of a source, while one goes on', () => {
  let agent: ShopAgent;
  let site: Server;
  let url: string;
  let release: () => void;
  beforeEach(async () => {
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    site = createServer(async ({ url }, response) => {
      if (url === '/slow') await held;
      response.writeHead(url === '/gone' ? 404 : 200, { 'content-type': 'text/html' });
      response.end(`<title>${url}</title><main><p>The page ${url} tells of herons.</p></main>`);
    });
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    agent = await startShopAgent();
  });
  afterEach(async () => {
    release();
    await agent.close();
    site.closeAllConnections();
    site.close();
  });
  const call = agentCall(() => agent);
  const read = async (source_id: string) => (await call('GET', 'read', { source_id })).source;
  const begin = async (more: object = {}) =>
    (await call('POST', 'create', { type: 'webpage', source: `${url}/slow`, ...more })).source.uuid as string;

  test('takes its place, however late the first ends', async () => {
    const source_id = await begin();
    await call('PUT', 'update', { source_id, source: `${url}/right` });
    await expect.poll(async () => (await read(source_id)).status).toBe('success');
    release();
    await agent.service.idle();
    expect(await read(source_id)).toMatchObject({
      status: 'success',
      source: [`${url}/right`],
      content: 'The page /right tells of herons.',
    });
  });

  test('takes nothing from another source of the address that it had', async () => {
    const source_id = await begin();
    await call('PUT', 'update', { source_id, source: `${url}/right` });
    const other = await begin();
    release();
    await agent.service.idle();
    expect((await read(other)).status).toBe('success');
    expect((await read(source_id)).status).toBe('success');
  });
});

/** Of the calls under /v1/bot/source. @returns their bodies */
function agentCall(agent: () => ShopAgent) {
  return async (method: string, what: string, input: object) =>
    (await agent().client.call(method, `/v1/bot/source/${what}`, input)).body;
}

test('a reading that a stop has cut off is said, and is due at once after it', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'agent-'));
  const options = { db: join(folder, 'agent.db') };
  const first = await startShopAgent(options);
  const source = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const input = { type: 'webpage', source, sync_frequency: 'weekly' };
  const { uuid: source_id } = (await agentCall(() => first)('POST', 'create', input)).source;
  await first.close();
  silent.closeAllConnections();
  silent.close();
  const db = openDatabase(options.db);
  const row = () => db.prepare('SELECT status, error, synced_at FROM sources WHERE uuid = ?').get(source_id);
  expect(row()).toMatchObject({ status: 'processing', error: null, synced_at: null });
  const again = await startShopAgent(options);
  await again.service.idle();
  // Nobody is there any more: it was tried.
  expect(row()).toMatchObject({ status: 'failed', synced_at: expect.any(Number) });
  await again.close();
  db.close();
  rmSync(folder, { recursive: true });
});

/** Sources: websites are followed, webpages are not, search is ranked and scoped. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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

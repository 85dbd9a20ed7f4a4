/** What an agent is trained on, row by row of the API document. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ShopAgent, startShopAgent } from '../support/agentservice.ts';
import { makeDocx, makePdf } from '../support/documents.ts';

const day = 24 * 3_600_000;
const page = (title: string, body: string) => `<!doctype html><title>${title}</title><main>${body}</main>`;
const links = (names: readonly string[]) => names.map((name) => `<a href="${name}">${name}</a>`).join(' ');

let pages: Record<string, { type: string; body: string | Buffer }>;
let server: Server;
let site: string;
let agent: ShopAgent;
beforeAll(async () => {
  server = createServer((request, response) => {
    const found = pages[request.url!];
    if (!found) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': found.type }).end(found.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  const html = (title: string, body: string) => ({ type: 'text/html', body: page(title, body) });
  pages = {
    '/one': html('One', '<h1>One</h1><p>The first heron nests in April.</p>'),
    '/two': html('Two', '<h1>Two</h1><p>The second badger digs in May.</p>'),
    '/notes.txt': { type: 'text/plain', body: 'A walrus sleeps on the ice.' },
    '/notes.md': { type: 'text/plain', body: '# Notes\n\nA lynx hunts at night.' },
    '/page.html': html('Page', '<p>An otter holds hands.</p>'),
    '/list.csv': { type: 'text/csv', body: 'animal,food\r\n"puffin, Atlantic",sand eels\r\n' },
    '/paper.pdf': { type: 'application/pdf', body: makePdf('A tapir likes the water.') },
    '/letter.docx': {
      type: 'application/octet-stream',
      body: makeDocx(['A wombat digs at dusk.', 'It rests by day.']),
    },
    '/photo.png': { type: 'image/png', body: 'no text' },
  };
  agent = await startShopAgent();
});
afterEach(() => agent.close());

const create = async (input: object) => {
  const { body } = await agent.client.call('POST', '/v1/bot/source/create', input);
  await agent.service.idle();
  return read(body.source.uuid);
};
const read = async (source_id: string) =>
  (await agent.client.call('GET', '/v1/bot/source/read', { source_id })).body.source;
const find = async (keywords: string): Promise<string[]> => {
  const { body } = await agent.client.call('POST', '/v1/bot/search', { keywords });
  return body.results.map(({ content }: { content: string }) => content);
};
const update = (source_id: string, input: object) =>
  agent.client.call('PUT', '/v1/bot/source/update', { source_id, ...input });

describe('sources', () => {
  test('a text is processing, then read (S6, S66, S67, S148)', async () => {
    const made = await agent.client.call('POST', '/v1/bot/source/create', {
      type: 'text',
      source: 'The yak climbs.',
      title: 'Yaks',
      description: 'About yaks',
      tags: ['animals'],
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ success: true, source: { status: 'processing', source: null } });
    await agent.service.idle();
    expect(await read(made.body.source.uuid)).toMatchObject({
      id: made.body.source.uuid,
      title: 'Yaks',
      description: 'About yaks',
      status: 'success',
      error: null,
      tags: ['animals'],
      content: 'The yak climbs.',
      tokens: 4,
      links: [],
      forget_after: 'never',
      forget_after_at: null,
      sync_frequency: 'never',
    });
  });

  test('several addresses are one source; one that cannot be read is named (S9, S68)', async () => {
    const source = await create({
      type: 'webpage',
      source: [`${site}/one`, `${site}/two`, `${site}/gone`],
    });
    expect(source).toMatchObject({
      status: 'success',
      source: [`${site}/one`, `${site}/two`, `${site}/gone`],
    });
    expect(source.error).toBe(`${site}/gone: The page answered 404.`);
    expect(source.links.map(({ url, title }: { url: string; title: string }) => [url, title])).toEqual([
      [`${site}/one`, 'One'],
      [`${site}/two`, 'Two'],
    ]);
    expect((await find('heron')).length + (await find('badger')).length).toBe(2);
    const failed = await create({ type: 'webpage', source: [`${site}/gone`, `${site}/lost`] });
    expect(failed.status).toBe('failed');
    expect((await create({ type: 'webpage', source: `${site}/one` })).source).toEqual([`${site}/one`]);
  });

  test.each([
    ['notes.txt', 'walrus', 'A walrus sleeps on the ice.'],
    ['notes.md', 'lynx', 'A lynx hunts at night.'],
    ['page.html', 'otter', 'An otter holds hands.'],
    ['list.csv', 'puffin', 'puffin, Atlantic | sand eels'],
    ['paper.pdf', 'tapir', 'A tapir likes the water.'],
    ['letter.docx', 'wombat', 'A wombat digs at dusk.'],
  ])('a file %s is read (S8)', async (name, word, text) => {
    const source = await create({ type: 'file', source: [`${site}/${name}`] });
    expect(source).toMatchObject({ status: 'success', type: 'file' });
    expect(source.content).toContain(text);
    expect((await find(word))[0]).toContain(text);
  });

  test('a file of another kind, or one that is broken, is failed with the reason (S68)', async () => {
    expect(await create({ type: 'file', source: `${site}/photo.png` })).toMatchObject({
      status: 'failed',
      error: 'The file is image/png: not readable.',
    });
    pages['/paper.pdf']!.body = 'no PDF at all';
    expect(await create({ type: 'file', source: `${site}/paper.pdf` })).toMatchObject({
      status: 'failed',
      error: 'The file is no pdf that can be read.',
    });
  });

  test('a website’s robots.txt is obeyed (S7)', async () => {
    pages['/'] = { type: 'text/html', body: page('Home', `<p>Home.</p>${links(['/one', '/secret/two'])}`) };
    pages['/secret/two'] = { type: 'text/html', body: page('Two', '<p>The hidden badger.</p>') };
    pages['/robots.txt'] = { type: 'text/plain', body: 'User-agent: *\nDisallow: /secret/\n' };
    const source = await create({ type: 'website', source: `${site}/` });
    expect(source.links.map(({ url }: { url: string }) => url)).toEqual([`${site}/`, `${site}/one`]);
    pages['/robots.txt']!.body = 'User-agent: porchlight\nDisallow: /\n';
    expect(await create({ type: 'website', source: `${site}/one` })).toMatchObject({
      status: 'failed',
      error: 'The robots.txt of the site does not allow it.',
    });
  });

  test('an update answers what was sent, and a new source is read again (S148)', async () => {
    const { uuid } = await create({ type: 'text', source: 'The yak climbs.', title: 'Yaks' });
    const { body } = await update(uuid, { title: 'Oxen', description: null, tags: ['farm'] });
    expect(body).toEqual({
      id: uuid,
      status: 'success',
      updated_at: expect.any(String),
      title: 'Oxen',
      description: null,
      tags: ['farm'],
    });
    expect(await read(uuid)).toMatchObject({ title: 'Oxen', content: 'The yak climbs.' });
    expect((await update(uuid, { source: 'The ox ploughs.' })).body.status).toBe('processing');
    await agent.service.idle();
    expect([await find('yak'), await find('ox')]).toEqual([[], ['The ox ploughs.']]);
    expect((await update('nothing', { title: 'x' })).body.error.code).toBe('source_not_found');
  });

  test('a deleted source is found no more', async () => {
    const { uuid } = await create({ type: 'text', source: 'The yak climbs.' });
    await agent.client.call('DELETE', '/v1/bot/source/delete', { source_id: uuid });
    expect(await find('yak')).toEqual([]);
  });

  test.each([
    ['1 day', 1],
    ['1 week', 7],
    ['2 weeks', 14],
  ])('forgotten after %s, it is gone then and not before', async (forget_after, days) => {
    const source = await create({ type: 'text', source: 'The yak climbs.', forget_after });
    expect(Date.parse(source.forget_after_at)).toBe(agent.clock.now + days * day);
    agent.clock.now += days * day - 1;
    expect(await find('yak')).toHaveLength(1);
    agent.clock.now += 1;
    expect(await find('yak')).toEqual([]);
    expect(await read(source.uuid)).toBeUndefined();
  });

  test.each([
    ['weekly', 7],
    ['monthly', 30],
  ])('synchronised %s, its addresses are read again when it is due', async (sync_frequency, days) => {
    const { uuid } = await create({ type: 'webpage', source: `${site}/one`, sync_frequency });
    pages['/one']!.body = page('One', '<p>The ibis wades.</p>');
    agent.clock.now += days * day - 1;
    await find('heron');
    await agent.service.idle();
    expect(await find('heron')).toHaveLength(1);
    agent.clock.now += 1;
    await find('heron');
    await agent.service.idle();
    expect([await find('heron'), await find('ibis')]).toEqual([[], ['The ibis wades.']]);
    expect(Date.parse((await read(uuid)).synced_at)).toBe(agent.clock.now);
    delete pages['/one'];
    agent.clock.now += days * day;
    await find('ibis');
    await agent.service.idle();
    expect(await find('ibis')).toHaveLength(1);
    expect((await read(uuid)).status).toBe('failed');
  });

  test.each([
    [{ type: 'song', source: 'x' }, 'type'],
    [{ type: 'text' }, 'source'],
    [{ type: 'webpage', source: 'file:///etc/passwd' }, 'source'],
    [{ type: 'website', source: ['http://a.example/'] }, 'source'],
    [{ type: 'file', source: [] }, 'source'],
    [{ type: 'text', source: 'x', forget_after: '1 hour' }, 'forget_after'],
    [{ type: 'text', source: 'x', sync_frequency: 'daily' }, 'sync_frequency'],
    [{ type: 'text', source: 'x', title: 'x'.repeat(301) }, 'title'],
  ])('refuses %j, naming the field (S194)', async (input, field) => {
    const { status, body } = await agent.client.call('POST', '/v1/bot/source/create', input);
    expect([status, body.error.code]).toEqual([400, 'invalid_parameters']);
    expect(body.error.message).toMatch(new RegExp(`^${field}`));
  });
});

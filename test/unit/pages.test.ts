/** The pages of the demo shop: whole documents, though each file holds only what is its own. */
import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { servePage } from '../../demo/site/pages.ts';

const folder = join(import.meta.dirname, '../../demo/site/pages');
const names = readdirSync(folder);
const widget = { botId: 'juniper', helper: '/porchlight' };

async function get(path: string): Promise<{ status: number; html: string }> {
  let status = 0;
  let html = '';
  const response = {
    writeHead: (code: number) => {
      status = code;
    },
    end: (body: string | Buffer) => {
      html = body.toString();
    },
  };
  await servePage(path, response as unknown as ServerResponse, widget);
  return { status, html };
}
const count = (html: string, mark: string) => html.split(mark).length - 1;

test.each(names)('%s is one whole document around its own main', async (name) => {
  const own = readFileSync(join(folder, name), 'utf8');
  const { status, html } = await get(`/${name}`);
  expect(status).toBe(200);
  expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
  for (const mark of ['<title>', 'name="description"', '<header class="top"', '<main id="main">', '<footer'])
    expect([mark, count(html, mark)]).toEqual([mark, 1]);
  for (const part of own.slice(own.indexOf('<main')).split('<!-- scenes -->')) expect(html).toContain(part);
  // A page with the chat in its own layout has no second one.
  const script = ['ask.html', 'gallery.html'].includes(name) ? 'inline.js' : 'loader.js';
  expect(count(html, '/porchlight/widget/')).toBe(1);
  expect(html).toContain(`/porchlight/widget/${script}`);
  if (script === 'loader.js')
    expect(html).toContain(`data-open-style="${name === 'dock.html' ? 'dock' : 'normal'}"`);
  expect(html).not.toContain('<!--');
  expect(own).not.toMatch(/<(?:html|head|body|footer)\b|class="top"/);
});

test('the main navigation marks the page that is shown, and a page that is not in it marks none', async () => {
  for (const name of names) {
    const { html } = await get(`/${name}`);
    const marked = [...html.matchAll(/<a href="([^"]+)" aria-current="page">/g)].map(([, href]) => href);
    const inNavigation = html.slice(0, html.indexOf('<main')).includes(`<a href="/${name}"`);
    expect(marked).toEqual(inNavigation ? [`/${name}`] : []);
  }
});

test('/ is the first page, and the frame is none', async () => {
  expect((await get('/')).html).toBe((await get('/index.html')).html);
  expect((await get('/frame.html')).status).toBe(404);
  expect((await get('/pages/index.html')).status).toBe(404);
});

/** Serves the shop's pages, each put into the frame that all share, and its assets. */
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { toGallery } from './gallery.ts';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** What the README says to allow for the widget, which is here of the same origin, and what the page itself needs. */
const strictPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "style-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** From the source tree and from the build alike, the pages are read where they are written. */
const folder = new URL(import.meta.url.includes('/dist/') ? '../../demo/site/' : './', import.meta.url);

export async function servePage(
  path: string,
  response: ServerResponse,
  widget: { botId: string; helper: string },
): Promise<void> {
  const name = path === '/' ? '/index.html' : path;
  const extension = extname(name);
  const type = types[extension];
  const isSafe = /^\/(assets\/)?[\w-]+\.\w+$/.test(name);
  try {
    if (!type || !isSafe) throw new Error('no such page');
    const isPage = extension === '.html';
    const content = await readFile(new URL(isPage ? `pages${name}` : name.slice(1), folder));
    const headers: Record<string, string> = { 'content-type': type, 'cache-control': 'no-cache' };
    if (name === '/strict.html') headers['content-security-policy'] = strictPolicy;
    const page = isPage && content.toString().replace('<!-- scenes -->', toGallery);
    const body = page ? frame(await readFrame(), page, name, widget) : content;
    response.writeHead(200, headers);
    response.end(body);
  } catch {
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
    response.end('There is no such page. The shop begins at /');
  }
}

function readFrame(): Promise<string> {
  return readFile(new URL('frame.html', folder), 'utf8');
}

/** A page is what belongs into the head, then its `main`. */
function frame(
  around: string,
  page: string,
  name: string,
  widget: { botId: string; helper: string },
): string {
  const style = name === '/dock.html' ? 'dock' : 'normal';
  // A page with the chat in its own layout has no second one.
  const tag = page.includes('<porchlight-chat')
    ? `<script async src="${widget.helper}/widget/inline.js"></script>`
    : `<script async src="${widget.helper}/widget/loader.js" data-bot-id="${widget.botId}" data-open-style="${style}"></script>`;
  const tags = ['<script async src="/assets/chat.js"></script>', tag];
  const [top = '', foot = ''] = around.split('<!-- main -->');
  const mainAt = page.indexOf('<main');
  return [
    top
      .replace('<!-- head -->', () => page.slice(0, mainAt))
      .replace(`<a href="${name}">`, `<a href="${name}" aria-current="page">`),
    page.slice(mainAt),
    foot.replace('<!-- porchlight -->', tags.join('\n')),
  ].join('');
}

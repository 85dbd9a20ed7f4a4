/** Serves the shop's pages and assets, with the widget's tag put where each page asks for it. */
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname } from 'node:path';

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
    const file = new URL(extension === '.html' ? `pages${name}` : name.slice(1), folder);
    const content = await readFile(file);
    const headers: Record<string, string> = { 'content-type': type, 'cache-control': 'no-cache' };
    if (name === '/strict.html') headers['content-security-policy'] = strictPolicy;
    response.writeHead(200, headers);
    response.end(extension === '.html' ? placeTag(content.toString('utf8'), name, widget) : content);
  } catch {
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
    response.end('There is no such page. The shop begins at /');
  }
}

function placeTag(html: string, name: string, { botId, helper }: { botId: string; helper: string }): string {
  const style = name === '/dock.html' ? 'dock' : 'normal';
  const tags = [
    '<script async src="/assets/chat.js"></script>',
    `<script async src="${helper}/widget/loader.js" data-bot-id="${botId}" data-open-style="${style}"></script>`,
  ];
  return html.replace('<!-- porchlight -->', tags.join('\n'));
}

/** The owner's desk: its built page, which uses the public API with the key that is entered there. */

import { readFileSync } from 'node:fs';
import type { Hono } from 'hono';
import type { AccessEnv } from '../access.ts';
import type { Parts } from '../parts.ts';

/** From the source tree and from the build alike. */
const folder = new URL(
  import.meta.url.includes('/dist/') ? '../desk/' : '../../../dist/desk/',
  import.meta.url,
);
const assets = {
  'desk.js': 'text/javascript; charset=utf-8',
  'desk.css': 'text/css; charset=utf-8',
} as const;
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function routeDesk(app: Hono<AccessEnv>, { config }: Pick<Parts, 'config'>) {
  if (!config.desk) return;
  const page = toPage(config.projectId);
  app.get('/desk', (c) => {
    c.header('content-security-policy', policy);
    c.header('referrer-policy', 'no-referrer');
    c.header('x-content-type-options', 'nosniff');
    c.header('cache-control', 'no-cache');
    return c.html(page);
  });
  for (const [name, type] of Object.entries(assets)) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    app.get(`/desk/${name}`, (c) => {
      c.header('content-type', type);
      c.header('x-content-type-options', 'nosniff');
      c.header('cache-control', 'no-cache');
      return c.body(text);
    });
  }
}

const toPage = (projectId: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="project" content="${toAttribute(projectId)}">
    <title>Desk</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/desk/desk.css">
    <script type="module" src="/desk/desk.js"></script>
  </head>
  <body>
    <div id="desk"></div>
    <noscript>The desk needs JavaScript.</noscript>
  </body>
</html>
`;

function toAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

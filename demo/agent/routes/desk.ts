/** The owner's desk: its built page, which uses the public API with the key that is entered there. */

import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Hono } from 'hono';
import type { AccessEnv } from '../access.ts';
import type { Parts } from '../parts.ts';

/** From the source tree and from the build alike. */
const built = new URL(import.meta.url.includes('/dist/') ? '../' : '../../../dist/', import.meta.url);
/** By path, the folder of the build whose files lie there. The chat’s own are loaded by the preview. */
const folders = { '/desk': 'desk/', '/desk/preview/widget': 'widget/' } as const;
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
const rules = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
];

export function routeDesk(app: Hono<AccessEnv>, { config }: Pick<Parts, 'config'>) {
  if (!config.desk) return;
  const pages = {
    '/desk': {
      page: toPage(config.projectId, 'Desk', 'desk'),
      policy: [...rules, "frame-src 'self'", "frame-ancestors 'none'"],
    },
    // The chat with an agent, inside of the desk.
    '/desk/preview': {
      page: toPage(config.projectId, 'Preview', 'preview'),
      policy: [...rules, "frame-ancestors 'self'"],
    },
  };
  for (const [path, { page, policy }] of Object.entries(pages))
    app.get(path, (c) => {
      c.header('content-security-policy', policy.join('; '));
      c.header('referrer-policy', 'no-referrer');
      c.header('x-content-type-options', 'nosniff');
      c.header('cache-control', 'no-cache');
      return c.html(page);
    });
  app.get('/desk/', (c) => c.redirect('/desk'));
  for (const [path, folder] of Object.entries(folders))
    for (const name of readdirSync(new URL(folder, built))) {
      const type = types[extname(name)];
      if (!type) continue;
      const text = readFileSync(new URL(folder + name, built), 'utf8');
      app.get(`${path}/${name}`, (c) => {
        c.header('content-type', type);
        c.header('x-content-type-options', 'nosniff');
        c.header('cache-control', 'no-cache');
        return c.body(text);
      });
    }
}

const toPage = (projectId: string, title: string, name: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="project" content="${toAttribute(projectId)}">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/desk/desk.css">
    <script type="module" src="/desk/${name}.js"></script>
  </head>
  <body>
    <div id="${name}"></div>
    <noscript>The desk needs JavaScript.</noscript>
  </body>
</html>
`;

function toAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

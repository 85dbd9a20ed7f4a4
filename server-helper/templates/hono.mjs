import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono } from 'hono';
import { readEnvironment } from 'porchlight/environment';
import { createNodeHelper } from 'porchlight/node';

const app = new Hono();
const helper = createNodeHelper(readEnvironment());
app.all('/porchlight/*', (c) => helper.fetch(c.req.raw, { address: getConnInfo(c).remote.address }));
app.get('/', (c) => c.text('the site'));
serve({ fetch: app.fetch, port: Number(process.env.PORT) });

import { createHelper } from 'porchlight';
import { readEnvironment } from 'porchlight/environment';

const helper = createHelper(readEnvironment());
Bun.serve({
  port: process.env.PORT,
  idleTimeout: 60, // seconds: its own 10 would cut an answer that is thought over
  fetch: (request, server) =>
    new URL(request.url).pathname.startsWith(`${helper.basePath}/`)
      ? helper.fetch(request, { address: server.requestIP(request)?.address })
      : new Response('the site'),
});

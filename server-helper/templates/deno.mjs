import { createHelper } from 'porchlight';
import { readEnvironment } from 'porchlight/environment';

const helper = createHelper(readEnvironment());
Deno.serve({ port: Number(Deno.env.get('PORT')) }, (request, { remoteAddr }) =>
  new URL(request.url).pathname.startsWith(`${helper.basePath}/`)
    ? helper.fetch(request, { address: remoteAddr.hostname })
    : new Response('the site'),
);

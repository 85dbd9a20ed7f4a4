import Fastify from 'fastify';
import { readEnvironment } from 'porchlight/environment';
import { porchlight } from 'porchlight/fastify';

const app = Fastify();
await app.register(porchlight, readEnvironment());
app.get('/', () => 'the site');
await app.listen({ port: Number(process.env.PORT) });

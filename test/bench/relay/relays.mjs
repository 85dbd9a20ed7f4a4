/** The relays that are compared: none, nginx, a bare splice of sockets, and the helper. Each is asked in its own way for the same stream. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nginxFile } from '../machine.mjs';

const helperFile = fileURLToPath(new URL('../../../dist/server-helper/cli.js', import.meta.url));
const spliceFile = fileURLToPath(new URL('./splice.mjs', import.meta.url));
const collectFile = fileURLToPath(new URL('./collect.cjs', import.meta.url));
const visitors = 200;

const askAgent = (control) => ({
  method: 'POST',
  path: '/v1/bot/chat',
  headers: {},
  body: { message: JSON.stringify(control), stream: true },
});

export const direct = { name: 'direct', prepare: async () => askAgent };

export const nginx = nginxFile && {
  name: 'nginx',
  start: ({ port, upstreamPort, folder }) => ({
    command: nginxFile,
    args: ['-c', writeNginxConfig(folder, port, upstreamPort)],
    env: {},
  }),
  prepare: async () => askAgent,
};

export const splice = {
  name: 'splice',
  start: ({ port, upstreamPort }) => ({
    command: process.execPath,
    args: [spliceFile],
    env: { PORT: String(port), UPSTREAM_PORT: String(upstreamPort), NODE_ENV: 'production' },
  }),
  prepare: async () => askAgent,
};

/** @param store a Redis has a core of its own */
export const toHelper = (name, store) => ({
  name,
  start: ({ port, upstreamPort, folder, nodeArgs = [] }) => ({
    command: process.execPath,
    args: ['--require', collectFile, ...nodeArgs, helperFile, 'serve'],
    env: {
      PORT: String(port),
      NODE_ENV: 'production',
      COLLECTED_FILE: join(folder, 'collected.json'),
      PORCHLIGHT_AGENT_URL: `http://127.0.0.1:${upstreamPort}`,
      PORCHLIGHT_API_KEY: 'bench-key',
      PORCHLIGHT_PROJECT_ID: 'bench',
      PORCHLIGHT_BOT_ID: 'bench',
      PORCHLIGHT_STORE: store,
      PORCHLIGHT_LIMITS: 'off',
    },
  }),
  /** Sessions of many visitors; each stream is the first turn of a conversation of its own, unless one is named. */
  async prepare(port) {
    const sessions = [];
    while (sessions.length < visitors) {
      const response = await fetch(`http://127.0.0.1:${port}/porchlight/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      sessions.push((await response.json()).session);
    }
    let asked = 0;
    return (control, { conversation } = {}) => {
      if (!conversation) asked += 1;
      return {
        method: 'PUT',
        path: `/porchlight/conversations/${conversation ?? randomUUID()}/turns/${randomUUID()}`,
        headers: { authorization: `Bearer ${sessions[asked % visitors]}`, accept: 'text/event-stream' },
        body: { text: JSON.stringify(control) },
      };
    };
  },
});

export const helper = toHelper('helper', 'memory');

/** As a relay of event streams is usually set up: nothing buffered, connections to the agent kept. */
function writeNginxConfig(folder, port, upstreamPort) {
  const own = join(folder, 'nginx');
  mkdirSync(own, { recursive: true });
  const file = join(own, 'nginx.conf');
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    file,
    `worker_processes 1; daemon off; pid ${own}/pid; error_log ${own}/error.log warn; ${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 19990; }
http {
  access_log off; ${kinds.map((kind) => `${kind}_temp_path ${own}/${kind};`).join(' ')}
  upstream agent { server 127.0.0.1:${upstreamPort}; keepalive 1024; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://agent; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_request_buffering off; proxy_read_timeout 600s; proxy_send_timeout 600s;
    }
  }
}
`,
  );
  return file;
}

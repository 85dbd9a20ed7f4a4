/** `docs/deployment.md`, tried: behind nginx, where there is one, and what the container and the unit run. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { answerInTwoParts } from '../support/fake-agent.ts';
import { RunningHelper, untilAsync } from '../support/helper-process.ts';
import { findPort } from '../support/port.mjs';
import { useRig } from '../support/rig.ts';
import { createVisitor, makeQuestion } from '../support/visitor.ts';

const page = readFileSync('docs/deployment.md', 'utf8');
const findSnippet = (language: string) =>
  new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? '';
const { rig } = await useRig({ env: { PORCHLIGHT_TRUSTED_PROXIES: '1', PORCHLIGHT_LIMITS: '' } });

const nginx = ['/usr/sbin/nginx', '/usr/local/sbin/nginx'].find((file) => existsSync(file));
if (!nginx) process.stderr.write('Not tried, for there is no nginx here: docs/deployment.md behind nginx\n');

test.skipIf(!nginx)(
  'behind nginx the words come as they are written, and a visitor’s address is the one that nginx saw',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'porchlight-nginx-'));
    const port = await findPort();
    const location = findSnippet('nginx').replace('127.0.0.1:8788', new URL(rig.helper.origin).host);
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(' ');
    await writeFile(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/pid; events {} http { access_log off; ${places} server { listen 127.0.0.1:${port}; ${location} } }`,
    );
    const proxy = spawn(String(nginx), [
      '-p',
      folder,
      '-c',
      join(folder, 'nginx.conf'),
      '-e',
      `${folder}/log`,
    ]);
    const behind = new RunningHelper(proxy);
    behind.origin = `http://127.0.0.1:${port}`;

    await untilAsync(
      () =>
        fetch(`${behind.base}/healthz`).then(
          (response) => response.ok,
          () => false,
        ),
      'nginx passes on',
    );
    const origin = behind.origin;
    const opened = await fetch(`${behind.base}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: '{}',
    });
    expect([opened.status, opened.headers.get('access-control-allow-origin')]).toEqual([200, origin]);

    const visitor = await createVisitor(behind);
    const gate = answerInTwoParts(rig.agent);
    const stream = await visitor.ask(crypto.randomUUID(), crypto.randomUUID(), makeQuestion());
    await stream.untilText('One ');
    gate.open();
    expect((await stream.whole()).ended('turn-completed').message.text).toBe('One two.');

    const open = (address: string) =>
      fetch(`${behind.base}/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: '{}',
      }).then(({ status }) => status);
    // Whatever a visitor says, nginx adds the address that it sees: one limit for this machine.
    const statuses = await Promise.all(Array.from({ length: 90 }, (_, at) => open(`192.0.2.${at}`)));
    expect(statuses).toContain(429);
    expect(rig.helper.output).not.toContain('visitors share one limit');
    proxy.kill('SIGTERM');
    await new Promise((resolve) => proxy.once('exit', resolve));
    await rm(folder, { recursive: true, force: true });
  },
);

test('the container’s health check passes while the helper lives, and only then', async () => {
  const [, list = '[]'] = /^HEALTHCHECK CMD (\[.*\])$/m.exec(findSnippet('dockerfile')) ?? [];
  const [, ...args] = JSON.parse(list) as string[];
  const check = (at: string) =>
    promisify(execFile)(
      process.execPath,
      args.map((arg) => arg.replace('http://127.0.0.1:8788', at)),
    );
  await check(rig.helper.origin);
  await expect(check(`http://127.0.0.1:${await findPort()}`)).rejects.toMatchObject({ code: 1 });
});

test('container and unit run what the package brings, and wait for running answers', () => {
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: Record<string, string> };
  expect(Object.keys(bin)).toEqual(['porchlight']);
  expect(findSnippet('dockerfile')).toContain('CMD ["node", "node_modules/.bin/porchlight", "serve"]');
  expect(findSnippet('ini')).toContain('ExecStart=/usr/bin/node node_modules/.bin/porchlight serve');
  expect(findSnippet('ini')).toContain('TimeoutStopSec=35');
});

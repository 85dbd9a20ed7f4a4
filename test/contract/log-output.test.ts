/** A log that cannot be written stops nobody: the helper answers, and ends when it is told to. */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createLogOutput } from '../../server-helper/log-output.ts';
import { until, untilAsync } from '../support/helper-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'porchlight-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('with a log that refuses every line the helper answers, and ends at SIGTERM', async () => {
  const path = join(folder, 'refuses');
  writeFileSync(path, '');
  // Open for reading alone: each write fails, as on a full disk.
  const fd = openSync(path, 'r');
  const port = await findFreePort();
  const child = spawn(process.execPath, ['dist/server-helper/cli.js', 'serve'], {
    env: {
      ...process.env,
      PORT: String(port),
      PORCHLIGHT_AGENT_URL: 'http://127.0.0.1:9',
      PORCHLIGHT_API_KEY: 'key',
      PORCHLIGHT_PROJECT_ID: 'project',
      PORCHLIGHT_BOT_ID: 'bot',
      PORCHLIGHT_STORE: 'memory',
    },
    stdio: ['ignore', fd, 'ignore'],
  });
  closeSync(fd);
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  try {
    await untilAsync(isUp, 'it answers', 10_000);
    // Refused, and logged.
    const headers = { origin: 'https://elsewhere.example' };
    await fetch(`http://127.0.0.1:${port}/porchlight/session`, { method: 'POST', headers });
    expect(await isUp()).toBe(true);
    child.kill('SIGTERM');
    expect(await exited).toEqual({ code: 0, signal: null });
  } finally {
    child.kill('SIGKILL');
  }
});

test('what was lost while it could not be written is said once it can', async () => {
  const path = join(folder, 'log');
  writeFileSync(path, '');
  const fd = openSync(path, 'r');
  const output = createLogOutput(fd);
  output.write('{"msg":"one"}\n');
  output.write('{"msg":"two"}\n');
  await new Promise((resolve) => setTimeout(resolve, 100));
  closeSync(fd);
  // Room again: the same number is a file that can be written.
  expect(openSync(path, 'a')).toBe(fd);
  output.write('{"msg":"three"}\n');
  const read = () => readFileSync(path, 'utf8').trim().split('\n');
  await until(() => read().length === 2, 'the loss is told', 2_000);
  const [first, second] = read().map((line) => JSON.parse(line));
  expect(first).toEqual({ msg: 'three' });
  expect(second).toMatchObject({ level: 40, lines: 2, msg: 'the log could not be written for a while' });
  closeSync(fd);
});

/** `npm run dev` in a copy of the tree: what is changed in a source is served a moment later. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { untilAsync } from './support/helper-process.ts';

/** All is built, on a busy machine. */
const withinMs = 60_000;
let folder: string;
let child: ChildProcess;
let output = '';

beforeAll(async () => {
  mkdirSync('test/.output', { recursive: true });
  folder = mkdtempSync(resolve('test/.output/dev-'));
  for (const name of ['widget', 'server-helper', 'demo', 'package.json', 'vite.config.ts', 'tsconfig.json'])
    cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const [command, file = ''] = packageJson.scripts.dev.split(' ');
  expect(command).toBe('node');
  child = spawn(process.execPath, [file], {
    cwd: folder,
    env: { ...process.env, PORT: '0', AGENT_PORT: '0', AGENT_SMTP_PORT: '0' },
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => {
      output += data;
    });
  await serves('/', '<!doctype html>');
}, 2 * withinMs);

afterAll(async () => {
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await gone;
  rmSync(folder, { recursive: true, force: true });
});

/** Asks the shop that was started last until `path` holds `text`. */
async function serves(path: string, text: string): Promise<void> {
  await untilAsync(
    async () => {
      const url = [...output.matchAll(/^Shop: (http:\/\/[^/]+)/gm)].at(-1)?.[1];
      const response = await fetch(`${url}${path}`).catch(() => undefined);
      return (await response?.text())?.includes(text) ?? false;
    },
    `${path} holds ${text}; it said: ${output}`,
    withinMs,
  );
}

function change(file: string, from: string, to: string): void {
  const path = join(folder, file);
  const before = readFileSync(path, 'utf8');
  expect(before).toContain(from);
  writeFileSync(path, before.replace(from, to));
}

test.each([
  ['the widget', 'widget/chat.ts', 'porchlight-chat', 'porchlight-chit', '/porchlight/widget/loader.js'],
  ['the helper', 'server-helper/routes/health.ts', "'ok' }", "'changed' }", '/porchlight/healthz'],
  ['the demo', 'demo/site/pages.ts', 'There is no such page', 'changed: there is none', '/none.html'],
  ['a page', 'demo/site/pages/index.html', 'Gear for nights outside', 'changed: Gear', '/'],
])(
  'a change of %s is served without a command',
  async (_, file, from, to, path) => {
    change(file, from, to);
    await serves(path, to.replace(/[' }]+$/, '').replace(/^'/, ''));
  },
  2 * withinMs,
);

test(
  'a source that cannot be built leaves what runs, and is told',
  async () => {
    change('demo/site/pages.ts', 'export async function', 'export async async function');
    await untilAsync(async () => /pages\.ts/.test(output), 'the fault is told', withinMs);
    await serves('/porchlight/healthz', 'changed');
    change('demo/site/pages.ts', 'export async async function', 'export async function');
    change('demo/site/pages.ts', 'changed: there is none', 'mended');
    await serves('/none.html', 'mended');
  },
  // Two builds, of which one fails, and a start.
  3 * withinMs,
);

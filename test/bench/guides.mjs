/** `npm run guides [-- express hono]`: packs what would be published, follows each guide in an empty project, and prints what it took. */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findPort } from '../support/port.mjs';

const root = join(import.meta.dirname, '../..');
const mounts = join(root, 'test/mounts');
/** Where Deno and Bun are, once the mount tests have run. */
const PATH = `${join(mounts, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;
const all = ['serve', 'node', 'express', 'fastify', 'koa', 'hono', 'next', 'deno', 'bun'];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: there are guides for ${all.join(', ')}`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'porchlight-guides-'));
const npm = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
const [{ filename, size }] = JSON.parse(execFileSync('npm', npm, { cwd: root, encoding: 'utf8' }));
const tarball = join(folder, filename);
console.log(`${filename}: ${(size / 1000).toFixed(0)} kB\n`);

const untilIt = async (what, tryIt, withinMs = 60_000) => {
  const until = Date.now() + withinMs;
  for (;;) {
    const found = await tryIt().catch(() => undefined);
    if (found) return found;
    if (Date.now() > until) throw new Error(`${what}: not within ${withinMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

function run(command, args, { cwd, env }) {
  const child = spawn(command, args, { cwd, env: { ...process.env, PATH, ...env }, detached: true });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => said.push(data));
  return {
    said: () => Buffer.concat(said).toString(),
    stop: () => {
      if (child.exitCode !== null) return;
      process.kill(-child.pid, 'SIGKILL');
    },
  };
}

const agentKey = randomBytes(16).toString('hex');
const agentPort = await findPort();
const agent = run(process.execPath, [join(root, 'dist/demo/agent.js')], {
  cwd: folder,
  env: {
    PORT: String(agentPort),
    AGENT_API_KEY: agentKey,
    AGENT_PROJECT_ID: 'larkfield',
    AGENT_BOT_ID: 'juniper',
    AGENT_DB: join(folder, 'agent.db'),
  },
});
const agentUrl = `http://127.0.0.1:${agentPort}`;
await untilIt('the agent', () => fetch(agentUrl));

/** A visitor's first question, and whether the page's tag leads to the loader. */
async function visit(base) {
  const headers = { 'content-type': 'application/json' };
  const opened = await fetch(`${base}/session`, { method: 'POST', headers, body: '{}' });
  const { session } = await opened.json();
  const asked = await fetch(`${base}/conversations/${randomUUID()}/turns/${randomUUID()}`, {
    method: 'PUT',
    headers: { ...headers, authorization: `Bearer ${session}` },
    body: JSON.stringify({ text: 'What do you sell?' }),
  });
  const told = await asked.text();
  if (!told.includes('event: turn-completed')) throw new Error(`no answer came:\n${told}`);
  const loader = await fetch(`${base}/widget/loader.js`);
  if (!loader.ok) throw new Error(`the loader: ${loader.status}`);
}

async function follow(framework) {
  const cwd = join(folder, framework);
  mkdirSync(cwd);
  const port = await findPort();
  const began = Date.now();
  const steps = [];
  const shell = (line) => {
    steps.push(line);
    const own = line.replace(/\bporchlight\b(?= |$)/, (name) => (/^(npm|bun)/.test(line) ? tarball : name));
    execFileSync('sh', ['-c', own], { cwd, env: { ...process.env, PATH }, stdio: 'pipe' });
  };
  shell('npm init -y');
  // Next has its own app before the helper comes into it, of modules, whatever `npm init` thinks.
  if (framework === 'next') {
    execFileSync('npm', ['pkg', 'delete', 'type'], { cwd });
    execFileSync('npm', ['install', 'next', 'react', 'react-dom'], { cwd, stdio: 'pipe' });
    cpSync(join(mounts, 'next-app'), join(cwd, 'app'), { recursive: true });
  }
  const before = new Set(listFiles(cwd));
  const flags = [
    '--framework',
    framework,
    '--agent-url',
    agentUrl,
    '--api-key',
    agentKey,
    '--project-id',
    'larkfield',
    '--bot-id',
    'juniper',
  ];
  const init = ['exec', '--yes', '--package', tarball, '--', 'porchlight', 'init', ...flags];
  steps.push('npx porchlight init …');
  const said = execFileSync('npm', init, { cwd, encoding: 'utf8', env: { ...process.env, PATH } });
  const written = listFiles(cwd).filter((file) => !before.has(file));
  const code = written.filter((file) => file.endsWith('js'));
  const lines = code.reduce(
    (sum, file) => sum + readFileSync(join(cwd, file), 'utf8').trim().split('\n').length,
    0,
  );
  const left = [...said.matchAll(/^\d\. (.*)$/gm)].map(([, line]) => line);
  const start = left.find((line) => /^(node|deno|bun) .*--env-file|^npx next/.test(line));
  for (const line of left) if (/^(npm install|bun add) /.test(line)) shell(line);
  steps.push(start, 'the tag');
  const installedMs = Date.now() - began;
  const app = run('sh', ['-c', start], { cwd, env: { PORT: String(port) } });
  const base = `http://127.0.0.1:${port}/porchlight`;
  try {
    await untilIt(`${framework} is up`, async () => (await fetch(`${base}/readyz`)).ok);
    await visit(base);
  } catch (error) {
    throw new Error(`${framework}: ${error.message}\n${app.said()}`);
  } finally {
    app.stop();
  }
  return { framework, installedMs, ms: Date.now() - began, steps: steps.length, lines };
}

function listFiles(cwd) {
  return readdirSync(cwd, { recursive: true })
    .map(String)
    .filter((file) => !file.includes('node_modules') && statSync(join(cwd, file)).isFile());
}

const isThere = (command) => {
  try {
    execFileSync('sh', ['-c', `command -v ${command}`], { env: { ...process.env, PATH } });
    return true;
  } catch {
    return false;
  }
};

try {
  console.log('| guide | commands | lines of code | installed after | the first answer after |');
  console.log('| --- | ---: | ---: | ---: | ---: |');
  for (const framework of wanted.length > 0 ? wanted : all) {
    if (['deno', 'bun'].includes(framework) && !isThere(framework)) {
      console.log(`| ${framework} | not tried: not on this machine | | | |`);
      continue;
    }
    const { installedMs, ms, steps, lines } = await follow(framework);
    const toSeconds = (value) => `${(value / 1000).toFixed(1)} s`;
    console.log(`| ${framework} | ${steps} | ${lines} | ${toSeconds(installedMs)} | ${toSeconds(ms)} |`);
  }
} finally {
  agent.stop();
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Apps of every framework and runtime with the helper in them, run as their users run them. What only they need is installed once. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Environment, RunningHelper, toVariables, untilAsync } from './helper-process.ts';
import { findPort } from './port.mjs';

const folder = join(import.meta.dirname, '../mounts');
const hosts = join(folder, 'hosts');
const cli = join(folder, '../../dist/server-helper/cli.js');
const inModules = (path: string) => join(folder, 'node_modules', path);
const startWithinMs = 30_000;

const server = 'porchlight-server.mjs';
/** How each is run; the file is the guide's, as `porchlight init` writes it. */
const commands = {
  node: [process.execPath, server],
  express: [process.execPath, server],
  fastify: [process.execPath, server],
  koa: [process.execPath, server],
  hono: [process.execPath, server],
  next: [process.execPath, inModules('next/dist/bin/next'), 'start'],
  deno: [inModules('.bin/deno'), 'run', '--allow-all', server],
  bun: [inModules('.bin/bun'), server],
} as const;

export type MountName = keyof typeof commands;
export const mountNames = Object.keys(commands) as MountName[];

/** Frameworks and runtimes by their own lock file, beside it; a newcomer’s `npm ci` is none the heavier. */
export function installMounts(): void {
  const lock = readFileSync(join(folder, 'package-lock.json'));
  const mark = inModules('.installed');
  const hash = createHash('sha256').update(lock).digest('hex');
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== hash) {
    process.stdout.write('Installing the frameworks and runtimes that the mount tests need, once\n');
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel', 'error'], { cwd: folder });
    writeFileSync(mark, hash);
  }
  const own = inModules('porchlight');
  if (!existsSync(own)) symlinkSync('../../..', own, 'dir');
}

/** An app of each, as its developer begins one. */
export function writeHosts(): void {
  rmSync(hosts, { recursive: true, force: true });
  for (const name of mountNames) {
    mkdirSync(join(hosts, name), { recursive: true });
    const flags = [
      '--framework',
      name,
      '--agent-url',
      'https://agent.example',
      '--project-id',
      'p',
      '--bot-id',
      'b',
    ];
    execFileSync(process.execPath, [cli, 'init', ...flags, '--folder', join(hosts, name)]);
  }
  cpSync(join(folder, 'next-app'), join(hosts, 'next/app'), { recursive: true });
}

/** As `next build` leaves it: without the environment that it will run in. */
export function buildNext(): void {
  execFileSync(process.execPath, [inModules('next/dist/bin/next'), 'build'], {
    cwd: join(hosts, 'next'),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NEXT_TELEMETRY_DISABLED: '1' },
  });
}

/** The guide's component for React in strict TypeScript. @returns what the compiler finds wrong */
export function compileReact(component: string, declaration: string): string {
  const at = join(hosts, 'react');
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, 'help.tsx'), component.replace('({ token })', '({ token }: { token: string })'));
  writeFileSync(join(at, 'jsx.d.ts'), declaration);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, exactOptionalPropertyTypes: true, jsx: 'react-jsx', types: [] },
    ...{
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom', 'dom.iterable'],
    },
  };
  writeFileSync(
    join(at, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['help.tsx', 'jsx.d.ts'] }),
  );
  const tsc = join(folder, '../../node_modules/.bin/tsc');
  return spawnSync(tsc, ['-p', '.'], { cwd: at, encoding: 'utf8' }).stdout;
}

/** A page of one's own with the chat in it, by the webpack that Next brings along. @returns what webpack finds wrong or doubtful */
export async function bundleByWebpack(): Promise<string[]> {
  const require = createRequire(import.meta.url);
  const { webpack } = require(inModules('next/dist/compiled/webpack/bundle5.js'))();
  const at = join(hosts, 'webpack');
  mkdirSync(at, { recursive: true });
  const entry = join(at, 'page.mjs');
  writeFileSync(
    entry,
    "import { createChat } from 'porchlight/widget';\ncreateChat({ botId: 'b', helper: '/porchlight' });\n",
  );
  const stats = await new Promise<{ toJson(): { errors: Fault[]; warnings: Fault[] } }>((resolve, reject) =>
    webpack({ mode: 'none', context: at, entry, output: { path: at } }, (error: unknown, made: never) =>
      error ? reject(error) : resolve(made),
    ),
  );
  const { errors, warnings } = stats.toJson();
  return [...errors, ...warnings].map(({ message }) => message);
}

type Fault = { message: string };

/** The guide's file of it in strict TypeScript. @returns what the compiler finds wrong */
export function compileMount(name: MountName): string {
  const at = join(hosts, name);
  cpSync(join(at, server), join(at, 'own.mts'));
  const compilerOptions = {
    ...{ strict: true, noEmit: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
    ...{ target: 'es2022', module: 'nodenext', lib: ['es2023'], types: ['node'] },
  };
  writeFileSync(join(at, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['own.mts'] }));
  const tsc = join(folder, '../../node_modules/.bin/tsc');
  return spawnSync(tsc, ['-p', '.'], { cwd: at, encoding: 'utf8' }).stdout;
}

/** @returns once its own page is there */
export async function startMount(name: MountName, agentUrl: string, env: Environment = {}) {
  const [command, ...args] = commands[name];
  const port = await findPort();
  const child: ChildProcess = spawn(command, args, {
    cwd: join(hosts, name),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...toVariables(agentUrl),
      HOME: process.env.HOME ?? '/',
      NEXT_TELEMETRY_DISABLED: '1',
      ...env,
      PORT: String(port),
    },
  });
  const helper = new RunningHelper(child);
  helper.origin = `http://localhost:${port}`;
  await untilAsync(
    async () => {
      if (child.exitCode !== null) throw new Error(`${name} did not start: ${helper.output}`);
      return (await fetch(helper.origin).catch(() => undefined))?.status === 200;
    },
    `the site on ${name} is there`,
    startWithinMs,
  );
  return helper;
}

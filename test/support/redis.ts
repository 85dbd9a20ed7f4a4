/** A Redis of the test's own: the machine's server, or Debian's, unpacked into a cache and not installed. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath, unpackOnce } from './unpack.ts';

const names = ['redis-server', 'valkey-server'];
const cache = join(import.meta.dirname, '../../node_modules/.cache');
const startWithinMs = 15_000;

export type TestRedis = {
  url: string;
  readonly child: ChildProcess;
  /** Stops it at once, and starts it again at the same port; what it had is gone unless it was told to keep it. */
  restart(): Promise<void>;
  /** Says one thing to it, such as `CONFIG SET maxmemory 1mb`. */
  say(command: string): Promise<string>;
  /** What it was told to keep stays. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

/** @param options of the server's own, such as `--appendonly yes` */
export async function startRedis(...options: readonly string[]): Promise<TestRedis> {
  const { path, env } = await findRedis();
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-redis-'));
  const own = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const start = () => startServer(path, [...own, ...options], { ...process.env, ...env });
  let child = await start();
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    get child() {
      return child;
    },
    async restart() {
      await kill();
      child = await start();
    },
    say: (command) =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
        socket.once('data', (reply) => {
          socket.destroy();
          resolve(`${reply}`);
        });
        socket.once('error', reject);
      }),
    kill,
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startServer(path: string, args: string[], env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(path, args, { env });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(new Error(`Redis did not start: ${said}`));
    const timer = setTimeout(fail, startWithinMs);
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (!/ready to accept connections/i.test(said)) return;
      clearTimeout(timer);
      resolve();
    });
    child.once('exit', fail);
  });
  return child;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** @throws Error of one line that says what to do */
async function findRedis(): Promise<{ path: string; env: Record<string, string> }> {
  const path = findOnPath(names);
  if (path) return { path, env: {} };
  const folder = await unpackOnce(cache, 'redis-debian', unpackDebian).catch(() => {
    throw new Error('No Redis to test with: install redis-server or valkey-server.');
  });
  const libraries = readdirSync(join(folder, 'usr/lib')).map((name) => join(folder, 'usr/lib', name));
  return { path: join(folder, 'usr/bin/redis-server'), env: { LD_LIBRARY_PATH: libraries.join(':') } };
}

/** With lists of its own: nothing of the machine's is changed. */
async function unpackDebian(staging: string): Promise<void> {
  process.stderr.write(`Redis: Debian’s package is unpacked into ${cache}\n`);
  const apt = join(staging, 'apt');
  mkdirSync(join(apt, 'lists/partial'), { recursive: true });
  mkdirSync(join(apt, 'archives/partial'), { recursive: true });
  const own = ['-o', `Dir::State::lists=${apt}/lists`, '-o', `Dir::Cache=${apt}`, '-o', 'Debug::NoLocking=1'];
  const run = (command: string, args: string[], cwd = apt) =>
    promisify(execFile)(command, args, { cwd, timeout: 120_000 });
  await run('apt-get', [...own, 'update']);
  const { stdout } = await run('apt-get', [
    ...own,
    '--simulate',
    '--no-install-recommends',
    'install',
    'redis-server',
  ]);
  const needed = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name!);
  await run('apt-get', [...own, 'download', ...needed]);
  for (const name of readdirSync(apt).filter((one) => one.endsWith('.deb')))
    await run('dpkg-deb', ['--extract', name, staging]);
  rmSync(apt, { recursive: true });
}

/** Starts the built helper as its user does, `node <bin> serve` with variables, and keeps all that it writes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const root = join(import.meta.dirname, '../..');
const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  bin: { porchlight: string };
};
const clock = join(import.meta.dirname, 'movable-clock.mjs');
const startWithinMs = 15_000;

/** Of every helper under test; none may ever be read in a log or a response. */
export const secrets = {
  apiKey: 'agent-key-5f0c2f1d7e9b4a63',
  ssoSecret: 'sso-secret-8c1f04b7d2e95a6390fb17c4',
  sessionSecret: 'session-secret-3ad90e5c71b2f8460dc5e7',
  webhookSecret: 'webhook-secret-61d7c0a94be2f35881a0',
};
export const target = { projectId: 'project-1', botId: 'bot-1' };
/** Every question of a test holds it, so that a log can be searched for visitors' text. */
export const visitorMark = 'zq7canary';

export type Environment = Record<string, string>;
export type HelperOptions = {
  agentUrl: string;
  env?: Environment;
  movableClock?: boolean;
  /** Default: `serve`. */
  command?: readonly string[];
};
export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export class RunningHelper {
  /** All that was answered: heads and bodies. */
  readonly answers: string[] = [];
  output = '';
  origin = '';
  basePath = '/porchlight';
  readonly exited: Promise<Exit>;

  constructor(readonly child: ChildProcess) {
    const collect = (chunk: Buffer) => {
      this.output += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    this.exited = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  }

  get base(): string {
    return this.origin + this.basePath;
  }

  /** One request; the answer is kept for the search after secrets. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(path.startsWith('/healthz') ? this.origin + path : this.base + path, init);
    this.answers.push(JSON.stringify([...response.headers]));
    return response;
  }

  /** Moves the helper's clock ahead; only with `movableClock`. */
  async advance(ms: number): Promise<void> {
    const done = new Promise<void>((resolve) => this.child.once('message', () => resolve()));
    this.child.send({ advanceMs: ms });
    // One that ends on the way says nothing more.
    await Promise.race([done, this.exited]);
  }

  /** Moves the clock ahead bit by bit, leaving room for the network in between, until `isSo`. */
  async advanceUntil(isSo: () => boolean, what: string, mostMs = 120_000): Promise<void> {
    for (let ms = 0; ms < mostMs; ms += 500) {
      if (isSo()) return;
      await this.advance(500);
      await pause(20);
    }
    if (!isSo()) throw new Error(`not within ${mostMs} ms of the helper's time: ${what}`);
  }

  async kill(signal: NodeJS.Signals): Promise<Exit> {
    this.child.kill(signal);
    return this.exited;
  }

  /** Ends the process, then searches all that it wrote and answered for what must not be there. */
  async close(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.kill('SIGKILL');
    expectNoSecrets(this);
  }
}

export function expectNoSecrets({ output, answers }: RunningHelper): void {
  const all = answers.join('\n');
  for (const secret of Object.values(secrets)) {
    expect(output.includes(secret), 'a secret in the log').toBe(false);
    expect(all.includes(secret), 'a secret in an answer').toBe(false);
  }
  expect(output.includes(visitorMark), "a visitor's text in the log").toBe(false);
}

/** A helper's own, in memory, or in the Redis that `TEST_REDIS` names, with which all tests of the wire can be run. */
function toStoreName(): string {
  const { TEST_REDIS } = process.env;
  return TEST_REDIS ? `${TEST_REDIS}?prefix=${randomUUID()}` : 'memory';
}

/** The variables of every helper under test. */
export function toVariables(agentUrl: string): Environment {
  return {
    PATH: process.env.PATH ?? '',
    PORCHLIGHT_AGENT_URL: agentUrl,
    PORCHLIGHT_API_KEY: secrets.apiKey,
    PORCHLIGHT_PROJECT_ID: target.projectId,
    PORCHLIGHT_BOT_ID: target.botId,
    PORCHLIGHT_SSO_SECRET: secrets.ssoSecret,
    PORCHLIGHT_SESSION_SECRET: secrets.sessionSecret,
    PORCHLIGHT_STORE: toStoreName(),
    PORCHLIGHT_LIMITS: 'off',
    PORT: '0',
  };
}

/** Runs a command, without waiting for what it does. */
export function spawnHelper({
  agentUrl,
  env = {},
  movableClock = false,
  command = ['serve'],
}: HelperOptions): RunningHelper {
  const child = spawn(process.execPath, [join(root, bin.porchlight), ...command], {
    stdio: ['ignore', 'pipe', 'pipe', ...(movableClock ? (['ipc'] as const) : [])],
    env: {
      ...toVariables(agentUrl),
      ...(movableClock ? { NODE_OPTIONS: `--import ${clock}` } : {}),
      ...env,
    },
  });
  const helper = new RunningHelper(child);
  if (env.PORCHLIGHT_BASE_PATH) helper.basePath = env.PORCHLIGHT_BASE_PATH;
  return helper;
}

export async function startHelper(options: HelperOptions): Promise<RunningHelper> {
  const helper = spawnHelper(options);
  const url = /"url":"(http:\/\/[^/"]+)/;
  await until(
    () => url.test(helper.output) || helper.child.exitCode !== null,
    'the helper listens',
    startWithinMs,
  );
  helper.origin = url.exec(helper.output)?.[1] ?? '';
  if (helper.origin === '') throw new Error(`the helper did not start: ${helper.output}`);
  await untilAsync(
    async () => (await fetch(`${helper.origin}/healthz`)).status === 200,
    'the helper is healthy',
  );
  return helper;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits for a condition, at most `withinMs`. */
export async function until(isSo: () => boolean, what: string, withinMs = 10_000): Promise<void> {
  await untilAsync(async () => isSo(), what, withinMs);
}

export async function untilAsync(
  isSo: () => Promise<boolean>,
  what: string,
  withinMs = 10_000,
): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(5);
  }
}

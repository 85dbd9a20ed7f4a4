/** `porchlight init`, `keys` and `token`: what one sets a helper up with, before it runs. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readEnvironment } from '../../server-helper/from-environment.ts';
import { createHelper, type Helper } from '../../server-helper/index.ts';
import { createSqliteStore } from '../../server-helper/store/sqlite.ts';

const cli = join(import.meta.dirname, '../../dist/server-helper/cli.js');
const secret = 'sso-secret-8c1f04b7d2e95a6390fb17c4';

function run(command: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...command], {
    env: { PATH: process.env.PATH ?? '', ...env },
    encoding: 'utf8',
  });
  return { code: status, output: stdout + stderr };
}

describe('init', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'porchlight-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const agent = ['--agent-url', 'https://agent.example/', '--project-id', 'larkfield', '--bot-id', 'juniper'];
  const init = (...flags: string[]) => run(['init', ...flags, '--folder', folder]);

  test('writes a file of code, variables that the helper takes, and keeps the secrets out of the repository', () => {
    const { code, output } = init('--framework', 'express', ...agent, '--api-key', 'key-1');
    expect([code, output]).toEqual([0, expect.stringContaining('npm install porchlight express')]);
    expect(output).toContain('data-bot-id="juniper"');
    expect(output).toContain('node --env-file=.porchlight.env node_modules/.bin/porchlight check --ask\n');
    expect(readdirSync(folder).toSorted()).toEqual([
      '.gitignore',
      '.porchlight.env',
      'porchlight-server.mjs',
    ]);
    expect(statSync(join(folder, '.porchlight.env')).mode & 0o077).toBe(0);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('.porchlight.env\n.porchlight.db*\n');
    const lines = readFileSync(join(folder, '.porchlight.env'), 'utf8').matchAll(/^(\w+)=(.*)$/gm);
    const env = Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]));
    const options = readEnvironment({ ...env, PORCHLIGHT_STORE: 'memory' });
    expect(options).toMatchObject({ agentUrl: 'https://agent.example', apiKey: 'key-1', botId: 'juniper' });
    expect(env.PORCHLIGHT_SSO_SECRET).not.toBe(env.PORCHLIGHT_SESSION_SECRET);
  });

  test.each(['node', 'express', 'serve', 'deno', 'next'])(
    'of %s gives what is private a leading dot, which servers of static files withhold',
    (framework) => {
      init('--framework', framework, ...agent, '--api-key', 'key-1');
      const ignored = readFileSync(join(folder, '.gitignore'), 'utf8').trimEnd().split('\n');
      const text = readFileSync(join(folder, ignored[0]!), 'utf8');
      expect(text).toContain('PORCHLIGHT_API_KEY=key-1\n');
      expect(text).toContain('\nPORCHLIGHT_STORE=sqlite:.porchlight.db\n');
      expect(ignored.map((name) => name[0])).toEqual(['.', '.']);
    },
  );

  test('without the agent’s key says where it goes', () => {
    expect(init('--framework', 'serve', ...agent).output).toContain('behind PORCHLIGHT_API_KEY=');
    expect(readdirSync(folder)).not.toContain('porchlight-server.mjs');
  });

  test('tells a process of its own where the site’s origin goes, and each where the SSO secret does', () => {
    const { output } = init('--framework', 'serve', ...agent);
    expect(output).toContain('PORCHLIGHT_ORIGINS=, or have the site’s proxy pass /porchlight on');
    expect(output).toContain('give PORCHLIGHT_SSO_SECRET to the agent service');
    const text = readFileSync(join(folder, '.porchlight.env'), 'utf8');
    expect(text).toContain('\nPORCHLIGHT_ORIGINS=\n');
    const env = Object.fromEntries(
      [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    const lists = { PORCHLIGHT_API_KEY: 'key-1', PORCHLIGHT_STORE: 'memory' };
    expect(readEnvironment({ ...env, ...lists }).origins).toBeUndefined();
  });

  test('writes over nothing that is there, and then nothing at all', () => {
    writeFileSync(join(folder, '.porchlight.env'), 'mine');
    const { code, output } = init('--framework', 'node', ...agent);
    expect([code, output]).toEqual([1, 'porchlight: there already: .porchlight.env. Nothing was written\n']);
    expect(readFileSync(join(folder, '.porchlight.env'), 'utf8')).toBe('mine');
    expect(existsSync(join(folder, 'porchlight-server.mjs'))).toBe(false);
  });

  test('writes beside the app of Next, where that is in src', () => {
    mkdirSync(join(folder, 'src/app'), { recursive: true });
    const { output } = init('--framework', 'next', ...agent);
    expect(output).toContain('wrote src/app/porchlight/[...path]/route.js\n');
    expect(existsSync(join(folder, 'app'))).toBe(false);
  });

  test('gives Next its variables where Next reads them, beside those of the app, and once', () => {
    writeFileSync(join(folder, '.env.local'), 'DATABASE=mine');
    const next = ['--framework', 'next', ...agent];
    expect(init(...next).output).toContain('added to .env.local\n');
    const text = readFileSync(join(folder, '.env.local'), 'utf8');
    expect(text).toMatch(/^DATABASE=mine\n# Read by the helper/);
    expect(text).toContain('\nPORCHLIGHT_BOT_ID=juniper\n');
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toContain('.env.local\n');
    rmSync(join(folder, 'app'), { recursive: true });
    const again = init(...next);
    expect([again.code, again.output]).toEqual([
      1,
      'porchlight: there already: .env.local. Nothing was written\n',
    ]);
    expect(readFileSync(join(folder, '.env.local'), 'utf8')).toBe(text);
  });

  test('adds to a .gitignore what is not in it', () => {
    writeFileSync(join(folder, '.gitignore'), 'node_modules\n.porchlight.env');
    init('--framework', 'node', ...agent);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe(
      'node_modules\n.porchlight.env\n.porchlight.db*\n',
    );
  });

  test.each([
    [['--framework', 'rails', ...agent], '--framework must be one of node, express'],
    [
      ['--framework', 'node', '--agent-url', 'agent.example', '--project-id', 'p', '--bot-id', 'b'],
      '--agent-url must be an absolute URL',
    ],
    [['--framework', 'node'], '--agent-url, --project-id, --bot-id missing'],
    [['--frame', 'node'], '--frame is not known'],
  ])('%j is refused', (flags, expected) => {
    const { code, output } = init(...flags);
    expect([code, output]).toEqual([1, expect.stringContaining(expected)]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('keys', () => {
  test('makes a secret for each variable that has one', () => {
    const { output } = run(['keys']);
    const made = [...output.matchAll(/^PORCHLIGHT_(\w+)=([\da-f]{64})$/gm)];
    expect(made.map(([, name]) => name)).toEqual([
      'SSO_SECRET',
      'SESSION_SECRET',
      'WEBHOOK_SECRET',
      'METRICS_TOKEN',
    ]);
    expect(new Set(made.map(([, , value]) => value)).size).toBe(4);
  });

  test('ends without a word where nobody reads on', async () => {
    const made = spawn(process.execPath, [cli, 'keys'], { stdio: ['ignore', 'pipe', 'pipe'] });
    made.stdout.destroy();
    let said = '';
    made.stderr.on('data', (piece) => {
      said += piece;
    });
    expect(await once(made, 'close')).toEqual([0, null]);
    expect(said).toBe('');
  });

  test('sets a new one before those that the variable has', () => {
    const { output } = run(['keys', '--rotate', 'SSO_SECRET'], { PORCHLIGHT_SSO_SECRET: secret });
    expect(output).toMatch(new RegExp(`^PORCHLIGHT_SSO_SECRET=[\\da-f]{64},${secret}\n$`));
  });

  test('sets a first session secret before the one that the store has made', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'porchlight-keys-'));
    const file = join(folder, 'of-guests.db');
    const env = { PORCHLIGHT_STORE: `sqlite:${file}` };
    const nothing = run(['keys', '--rotate', 'SESSION_SECRET'], env);
    expect(nothing.output).toContain('PORCHLIGHT_SESSION_SECRET is not set: there is nothing to rotate');
    expect(readdirSync(folder)).toEqual([]);
    const options = { agentUrl: 'http://127.0.0.1:9', apiKey: 'k', projectId: 'p', botId: 'b' };
    const call = (helper: Helper, session?: string) =>
      helper.fetch(
        new Request('http://site/porchlight/session', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ session }),
        }),
      );
    const helper = createHelper({ ...options, store: createSqliteStore(file) });
    const { session } = await (await call(helper)).json();
    const { output } = run(['keys', '--rotate', 'SESSION_SECRET'], env);
    const [, lines] = /^PORCHLIGHT_SESSION_SECRET=([\da-f]{64},[\da-f]{64})\n$/.exec(output)!;
    const toOwner = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString()).sub;
    const rotated = createHelper({
      ...options,
      store: createSqliteStore(file),
      sessionSecret: lines!.split(','),
    });
    const again = await (await call(rotated, session)).json();
    expect(toOwner(again.session)).toBe(toOwner(session));
    await Promise.all([helper.close(), rotated.close()]);
    // Its sessions are signed by the new one now, which only the variable has.
    await expect
      .poll(() => run(['keys', '--rotate', 'SESSION_SECRET'], env))
      .toEqual({ code: 1, output: expect.stringContaining('which is not set here: set it') });
    const [latest] = lines!.split(',');
    expect(
      run(['keys', '--rotate', 'SESSION_SECRET'], { ...env, PORCHLIGHT_SESSION_SECRET: latest! }).output,
    ).toContain(`,${latest}\n`);
    rmSync(folder, { recursive: true });
  });

  test.each([
    ['METRICS_TOKEN', '--rotate takes SSO_SECRET, SESSION_SECRET, WEBHOOK_SECRET'],
    ['SSO_SECRET', 'PORCHLIGHT_SSO_SECRET is not set: there is nothing to rotate'],
  ])('has nothing to rotate for %s', (name, expected) => {
    expect(run(['keys', '--rotate', name])).toEqual({ code: 1, output: `porchlight: ${expected}\n` });
  });
});

describe('token --inspect', () => {
  const env = { PORCHLIGHT_SSO_SECRET: secret, PORCHLIGHT_BOT_ID: 'juniper' };
  const mint = (by: Record<string, string>) =>
    run(['token', '--email', 'Ada@larkfield.example', '--name', 'Ada'], by).output.trim();

  test('tells what a token says, and whose conversations it opens', () => {
    const { code, output } = run(['token', '--inspect', mint(env)], env);
    expect([code, output]).toEqual([
      0,
      expect.stringContaining('"email":"Ada@larkfield.example","name":"Ada"'),
    ]);
    expect(output).toContain('Good: conversations belong to email:ada@larkfield.example.');
  });

  test('without the secret tells what it says, and that nothing was checked', () => {
    const { code, output } = run(['token', '--inspect', mint(env)], { PORCHLIGHT_SSO_SECRET: '' });
    expect([code, output]).toEqual([0, expect.stringContaining('"email":"Ada@larkfield.example"')]);
    expect(output).toContain('Not checked: PORCHLIGHT_SSO_SECRET is missing.');
  });

  test.each([
    ['signed with another secret', { ...env, PORCHLIGHT_SSO_SECRET: `${secret}-other` }, 'the shared secret'],
    ['of another issuer', { ...env, PORCHLIGHT_SSO_ISSUER: 'shop' }, 'iss is not the one configured'],
  ])('says why one %s is refused', (_, by, expected) => {
    const { code, output } = run(['token', '--inspect', mint(env)], by);
    expect([code, output]).toEqual([1, expect.stringMatching(new RegExp(`Refused: .*${expected}`))]);
  });
});

/** Every snippet of the README and of the guides runs, and every figure in them is today's. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { verifySsoToken } from '../server-helper/auth/sso.ts';
import { measureSize } from './bench/size.mjs';
import { findPort } from './support/port.mjs';

const readme = readFileSync('README.md', 'utf8');
const siteOwners = readFileSync('docs/site-owners.md', 'utf8');
const options = readFileSync('docs/options.md', 'utf8');
const identity = readFileSync('docs/identity.md', 'utf8');
const all = [readme, siteOwners, options, identity].join('\n');
const snippets = [...all.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
  language,
  text: String(text),
}));
const find = (language: string, words: string) => {
  const found = snippets.find((one) => one.language === language && one.text.includes(words));
  if (!found) throw new Error(`the documents have no ${language} snippet with ${words}`);
  return found.text;
};
const ssoSecret = 'a secret of the test with 32 bytes or more';
const children: ChildProcess[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Inside the package, so that it imports itself by name as an installed one would be. */
function runFile(name: string, code: string, env: Record<string, string>): ChildProcess {
  mkdirSync('test/.output', { recursive: true });
  const folder = mkdtempSync('test/.output/readme-');
  folders.push(folder);
  writeFileSync(`${folder}/${name}`, code);
  const child = spawn(process.execPath, [name], { cwd: folder, env: { ...process.env, ...env } });
  children.push(child);
  return child;
}

async function readWhenUp(url: string, child: ChildProcess): Promise<Response> {
  let complaint = '';
  child.stderr?.on('data', (data) => {
    complaint += data;
  });
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`it exited with ${child.exitCode}: ${complaint}`);
    const response = await fetch(url).catch(() => undefined);
    if (response) return response;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing answered: ${complaint}`);
}

const agentEnv = {
  PORCHLIGHT_AGENT_URL: 'http://127.0.0.1:9',
  PORCHLIGHT_API_KEY: 'key',
  PORCHLIGHT_SSO_SECRET: ssoSecret,
};

describe('the snippets', () => {
  test('the backend serves the helper and the widget that the tag names', async () => {
    const port = await findPort();
    const code = find('js', 'createNodeHelper').replace('8788', String(port));
    const child = runFile('backend.mjs', code, agentEnv);
    expect((await readWhenUp(`http://127.0.0.1:${port}/porchlight/healthz`, child)).status).toBe(200);
    const source = /src="([^"]+)"/.exec(find('html', '<script'))?.[1];
    const loader = await fetch(`http://127.0.0.1:${port}${source}`);
    expect(loader.headers.get('content-type')).toMatch(/javascript/);
    expect(await loader.text()).toContain('porchlight-chat');
  });

  test('the token is one that the helper takes', async () => {
    const code = `${find('js', 'signSsoToken')}\nprocess.stdout.write(token);`;
    const child = runFile('mint.mjs', code, agentEnv);
    let token = '';
    child.stdout?.on('data', (data) => {
      token += data;
    });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    const rules = { secrets: [ssoSecret], audience: 'juniper', issuer: undefined };
    expect(await verifySsoToken(token, rules, Date.now() / 1000)).toEqual({
      owner: 'external:customer-1001',
      email: 'ada@larkfield.example',
      name: 'Ada',
    });
  });

  test('the address of the token gives the customer’s, and nobody’s is none', async () => {
    const port = await findPort();
    const serve = `import { createServer } from 'node:http';
createServer((request, response) => {
  if (request.headers.cookie) request.session = { customer: { email: 'ada@larkfield.example' } };
  giveToken(request, response);
}).listen(${port});`;
    const child = runFile('token.mjs', `${find('js', 'tokenListener')}\n${serve}`, agentEnv);
    const url = `http://127.0.0.1:${port}`;
    expect(await (await readWhenUp(url, child)).json()).toEqual({ token: null });
    const { token } = (await (await fetch(url, { headers: { cookie: 'ada' } })).json()) as { token: string };
    const rules = { secrets: [ssoSecret], audience: 'juniper', issuer: undefined };
    expect((await verifySsoToken(token, rules, Date.now() / 1000)).email).toBe('ada@larkfield.example');
  });

  test('the page script queues calls that name methods of the widget', () => {
    const window: { Porchlight?: [string, ...unknown[]][] } = {};
    runInNewContext(find('js', 'window.Porchlight'), { window, console });
    const listed = siteOwners.slice(siteOwners.indexOf('## Methods'), siteOwners.indexOf('## Events'));
    expect(window.Porchlight).toHaveLength(2);
    for (const [method] of window.Porchlight ?? []) expect(listed).toMatch(new RegExp(`\`${method}[(\`]`));
  });

  test('the standalone helper starts on the variables shown', async () => {
    const port = await findPort();
    const line = find('sh', 'porchlight serve');
    const env = Object.fromEntries(
      [...line.matchAll(/(PORCHLIGHT_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    const child = spawn(process.execPath, [packageJson.bin.porchlight, 'serve'], {
      env: { ...process.env, ...env, PORT: String(port), PORCHLIGHT_STORE: 'memory' },
    });
    children.push(child);
    expect((await readWhenUp(`http://127.0.0.1:${port}/healthz`, child)).status).toBe(200);
  });

  test('the commands are scripts of the package', () => {
    const contributing = readFileSync('docs/contributing.md', 'utf8');
    const named = [...`${readme}${contributing}`.matchAll(/(?:`|^|&& )npm (?:run )?([a-z:]+)\b/gm)].map(
      ([, name]) => String(name),
    );
    expect(named.length).toBeGreaterThan(4);
    const own = [...Object.keys(packageJson.scripts), 'ci', 'install', 'pack'];
    expect(named.filter((name) => !own.includes(name))).toEqual([]);
    expect(readFileSync('.ci/run', 'utf8')).toMatch(/npm run check\nnpm test\nnpm run size/);
  });

  test('the CSP line is what the strict page of the demo has, with the helper where the page is', () => {
    const policy = readFileSync('demo/site/pages.ts', 'utf8');
    for (const directive of find('text', 'connect-src').trim().split('; '))
      expect(policy).toContain(directive.replace('https://chat.example', "'self'"));
  });
});

describe('the figures', () => {
  const figure = (label: string) => {
    const value = new RegExp(`^\\| ${label}[^|]*\\| ([\\d.]+)`, 'm').exec(readme)?.[1];
    if (value === undefined) throw new Error(`README.md has no figure for ${label}`);
    return Number(value);
  };
  const results = JSON.parse(readFileSync('test/bench/results.json', 'utf8'));

  test('of size are those of the built bundle, to a tenth of a kilobyte', () => {
    const { loader, opened, all, later } = measureSize();
    const actions = later.find(({ name }) => name.startsWith('actions-'));
    expect(figure('what copies, votes and asks again')).toBeCloseTo((actions?.bytes ?? 0) / 1000, 1);
    expect(figure('loader, Brotli')).toBeCloseTo(loader / 1000, 1);
    expect(figure('everything for an opened chat before')).toBeCloseTo(opened / 1000, 1);
    expect(figure('the same with a markdown reply')).toBeCloseTo(all / 1000, 1);
  });

  test.each([
    ['relaying a delta', results.relay.paced.helper.ratio, 2],
    ['an open, silent stream', results.relay.memory.helper.kbAt5000, 0],
    ['streaming 20 KB of markdown', results.widget.fast.ratio, 2],
    ['growth from 20 to 80 KB', results.widget.exponent, 2],
  ])('%s is what the last full run of the benchmark measured', (label, measured, digits) => {
    expect(figure(label)).toBe(Number(measured.toFixed(digits)));
  });
});

describe('the tables', () => {
  test('of what it does name every browser test, and no other', () => {
    const table = readme.slice(readme.indexOf('## What it does'), readme.indexOf('## Work on it'));
    const named = [...table.matchAll(/`([\w-]+)`(?=[^|]*\|$)/gm)].map(([, name]) => name);
    const there = readdirSync('test/browser').map((file) => file.replace('.test.ts', ''));
    expect(named.sort()).toEqual(there.sort());
  });

  test('name every part, and each is drawn', () => {
    const [, list = ''] = /export type Part =([^;]*);/.exec(readFileSync('widget/public.ts', 'utf8')) ?? [];
    const declared = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => String(name));
    expect(declared.length).toBeGreaterThan(15);
    const drawn = readdirSync('widget', { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => readFileSync(`widget/${name}`, 'utf8'))
      .join('\n');
    for (const name of declared) {
      expect(siteOwners).toMatch(new RegExp(`::part\\(.*\`${name}\``));
      expect(drawn).toMatch(new RegExp(`part(=|: |\\.| = )[^\\n]*['"]${name}['"]`));
    }
  });

  test('name every attribute of the tag', () => {
    const declared = [...readFileSync('widget/public.ts', 'utf8').matchAll(/'(data-[\w-]+)'\??:/g)].map(
      ([, name]) => String(name),
    );
    expect(declared.length).toBeGreaterThan(6);
    for (const name of declared) expect(siteOwners).toContain(`| \`${name}\` |`);
  });

  test('name every variable that the helper reads', () => {
    const source = readFileSync('server-helper/environment.ts', 'utf8');
    const read = [...source.matchAll(/given\('(\w+)'\)|'PORCHLIGHT_(\w+)'/g)].map(
      ([, a, b]) => `PORCHLIGHT_${a ?? b}`,
    );
    expect(read.length).toBeGreaterThan(10);
    for (const name of read) expect(options).toContain(`\`${name}\``);
  });

  test('name every dependency', () => {
    const table = readme.slice(readme.indexOf('### Dependencies'));
    for (const name of Object.keys(packageJson.dependencies)) expect(table).toContain(name);
    for (const name of Object.keys(packageJson.devDependencies))
      if (!name.startsWith('@types/'))
        expect(table.toLowerCase()).toContain(name.replace('@biomejs/biome', 'biome'));
  });
});

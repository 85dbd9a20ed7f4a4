/** What npm packs, as those who install it have it: with its own dependencies and nothing else. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');
const inModules = (name: string) => join(root, 'node_modules', name);
const tsc = inModules('.bin/tsc');
const entries = Object.keys(packageJson.exports).map((path) => path.replace('.', 'porchlight'));
const modules = entries.filter((entry) => !entry.endsWith('.json'));

let folder: string;
let packed: string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'porchlight-'));
  const npm = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename, files }] = JSON.parse(execFileSync('npm', npm, { cwd: root, encoding: 'utf8' })) as [
    { filename: string; files: { path: string }[] },
  ];
  packed = files.map(({ path }) => path);
  const own = join(folder, 'node_modules/porchlight');
  mkdirSync(own, { recursive: true });
  execFileSync('tar', ['xzf', join(folder, filename), '-C', own, '--strip-components=1']);
  for (const name of [...Object.keys(packageJson.dependencies), '@types/node', 'undici-types']) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(inModules(name), join(folder, 'node_modules', name), 'dir');
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (command: string, args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
};
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

test('holds what is built, the documents that the README links to, the licences of what is built in, and nothing of the tests and the demo', () => {
  expect(packed).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'dist/widget/loader.js']),
  );
  expect(
    packed.filter(
      (path) =>
        !/^(dist\/(embed|server-helper|types|widget)\/|docs\/|[A-Z]+(\.md)?$|package\.json$)/.test(path),
    ),
  ).toEqual([]);
  const readme = readFileSync(join(folder, 'node_modules/porchlight/README.md'), 'utf8');
  const linked = [...readme.matchAll(/\]\((docs\/[^)#]+)/g)].map(([, path]) => path);
  expect(linked.length).toBeGreaterThan(5);
  expect(packed).toEqual(expect.arrayContaining(linked));
  const licences = readFileSync(join(folder, 'node_modules/porchlight/dist/widget/licenses.md'), 'utf8');
  for (const name of ['preact', '@preact/signals', '@preact/signals-core', 'marked'])
    expect(licences).toMatch(new RegExp(`^## ${name} - \\d.*\\(MIT\\)$`, 'm'));
});

test('each entry is loaded by Node, as a module and by require, without a page and without what is built into the widget', () => {
  write(
    'all.mjs',
    modules
      .map(
        (entry, at) =>
          `import * as m${at} from '${entry}';\nif (!Object.keys(m${at}).length && '${entry}' !== 'porchlight/protocol') throw new Error('${entry}');`,
      )
      .join('\n'),
  );
  write('all.cjs', modules.map((entry) => `require('${entry}');`).join('\n'));
  expect(run(process.execPath, ['all.mjs'])).toEqual({ code: 0, output: '' });
  expect(run(process.execPath, ['--no-warnings', 'all.cjs'])).toEqual({ code: 0, output: '' });
  expect(run(process.execPath, ['node_modules/porchlight/dist/server-helper/cli.js', '--version'])).toEqual({
    code: 0,
    output: `${packageJson.version}\n`,
  });
});

const server = `
import { createHelper, createMemoryStore, type HelperOptions, signSsoToken, tokenRoute } from 'porchlight';
import { readEnvironment } from 'porchlight/environment';
import { porchlight } from 'porchlight/fastify';
import { createRoute } from 'porchlight/next';
import { createNodeHelper, tokenListener } from 'porchlight/node';
import type { SessionReply } from 'porchlight/protocol';
import { createSqliteStore } from 'porchlight/sqlite';

const options: HelperOptions = { ...readEnvironment(), store: createSqliteStore('a.db') };
export const helper = createNodeHelper(options);
export const other = createHelper({ ...options, store: createMemoryStore() });
export const route = createRoute(() => options);
export const token: Promise<string> = signSsoToken({ email: 'ada@example.com' }, 'secret');
export const routes = [tokenRoute(() => null), tokenListener(() => null)];
export const nameOf = (reply: SessionReply): string | undefined => reply.visitor.name;
export { porchlight };
// @ts-expect-error what it is not
createHelper({ agent: 1 });
`;
const page = `
import { createChat, defineElement, type PorchlightApi } from 'porchlight/widget';

defineElement();
const chat: PorchlightApi = createChat({ botId: 'juniper', helper: '/porchlight', openStyle: 'dock' });
chat.on('unread', ({ count }) => count.toFixed());
window.Porchlight?.open?.();
window.Porchlight ||= [];
window.Porchlight.push(['identify', null], ['addMessage', 'Any questions?', { dismissible: false }]);
window.Porchlight.push(['on', 'unread', ({ count }: { count: number }) => console.log(count.toFixed())]);
// @ts-expect-error no such method
window.Porchlight.push(['opne']);
// @ts-expect-error nothing that it takes
window.Porchlight.push(['setLanguage', 1]);
document.querySelector('porchlight-chat')?.chat?.send('Do you ship?');
// @ts-expect-error what it is not
createChat({ botId: 'juniper' });
`;
const protocol = `
import type { TurnRequest } from 'porchlight/protocol';
export const turn: TurnRequest = { text: 'Do you ship?' };
`;

function compile(file: string, text: string, options: object) {
  write(file, text);
  const compilerOptions = {
    target: 'es2022',
    noEmit: true,
    strict: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    isolatedModules: true,
    ...options,
  };
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }));
  return run(tsc, ['-p', '.']);
}

describe.each([
  ['esnext', 'bundler'],
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
])('strict types, module %s, resolution %s', (module, moduleResolution) => {
  test.each([
    ['the helper, without a page', server, ['node'], ['es2023']],
    ['the widget, without Node', page, [], ['es2023', 'dom']],
    ['what the tag makes', 'window.Porchlight?.open?.();', ['porchlight/widget'], ['es2023', 'dom']],
    ['the wire, without either', protocol, [], ['es2023']],
  ])('%s', (_, text, types, lib) => {
    const compiled = compile('own.mts', text, { module, moduleResolution, types, lib });
    expect(compiled).toEqual({ code: 0, output: '' });
  });
});

test('strict types, in CommonJS', () => {
  const options = { module: 'nodenext', types: ['node'], lib: ['es2023'] };
  expect(compile('own.cts', server, options)).toEqual({ code: 0, output: '' });
});

/** The layout as a test: what lies where, what may import what, and how a file begins. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));
const code = files.filter((file) => /^(widget|server-helper|demo|test)\/.*\.(ts|tsx|mjs)$/.test(file));
/** What `porchlight init` writes is the site's own from then on. */
const product = code.filter((file) => !/^(test|server-helper\/templates)\//.test(file));
const read = (file: string) => readFileSync(file, 'utf8');

/** Files that a file imports, for relative imports; package names as they are. */
function readImports(file: string): string[] {
  const found = read(file).matchAll(/(?:from|import)\s+['"]([^'"]+)['"]|import\(['"]([^'"]+)['"]\)/g);
  return [...found].map(([, from, dynamic]) => {
    const name = String(from ?? dynamic);
    return name.startsWith('.') ? normalize(join(dirname(file), name)) : name;
  });
}

test('the top level holds what the design draws, and nothing else', () => {
  const top = new Set(
    files.map((file) => file.split('/')[0] as string).filter((name) => !name.startsWith('.')),
  );
  expect([...top].sort()).toEqual(
    [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'demo',
      'docs',
      'package-lock.json',
      'package.json',
      'server-helper',
      'test',
      'tsconfig.json',
      'vite.config.ts',
      'widget',
    ].sort(),
  );
});

describe('imports point one way', () => {
  const area = (file: string) => file.split('/').slice(0, 2).join('/');
  /** For each area, what it may not reach. */
  const forbidden: Record<string, RegExp> = {
    widget: /^(?!widget\/|server-helper\/protocol\/(wire|sse)\.ts$|[^/.]*$|@?[a-z][\w/-]*$)|^node:/,
    'server-helper/protocol': /^(widget|demo)\/|^server-helper\/(?!protocol\/)/,
    'server-helper/store': /^server-helper\/(?!protocol\/|within\.ts|store\/)/,
    'server-helper/auth': /^server-helper\/(?!protocol\/|errors\.ts|log\.ts|within\.ts|auth\/|store\/)/,
    'server-helper/agent': /^server-helper\/(?!protocol\/|errors\.ts|log\.ts|agent\/|store\/)/,
    'server-helper/conversation':
      /^server-helper\/(?!protocol\/|errors\.ts|log\.ts|config\.ts|agent\/|store\/|auth\/|conversation\/)/,
    'server-helper/tools':
      /^server-helper\/(?!protocol\/|errors\.ts|log\.ts|option\.ts|agent\/|store\/|auth\/|tools\/)/,
    'server-helper/attachments':
      /^server-helper\/(?!protocol\/|errors\.ts|option\.ts|within\.ts|agent\/|auth\/|store\/|attachments\/)/,
    'server-helper/turns':
      /^server-helper\/(?!protocol\/|errors\.ts|log\.ts|metrics\.ts|tracing\.ts|within\.ts|agent\/|store\/|auth\/|conversation\/|tools\/|turns\/)/,
    'server-helper': /^(widget|demo)\//,
    'demo/agent': /^(widget|server-helper|porchlight)/,
  };
  test.each(Object.entries(forbidden))('%s', (where, pattern) => {
    const inArea = product.filter((file) => file.startsWith(`${where}/`) || area(file) === where);
    expect(inArea.length).toBeGreaterThan(0);
    const wrong = inArea.flatMap((file) =>
      readImports(file)
        .filter((name) => pattern.test(name))
        .map((name) => `${file} → ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test('only the files for Node import Node', () => {
    const allowed =
      /^server-helper\/(node|cli|measure|commands\/[a-z-]+|environment|log-output|mount\/(?:connect|fastify|next)|from-environment|agent\/(?:dispatch-sockets|connection)|store\/sqlite[a-z-]*|store\/redis\/[a-z]+)\.ts$/;
    const wrong = product
      .filter((file) => file.startsWith('server-helper/') && !allowed.test(file))
      .filter((file) =>
        readImports(file).some((name) => /^(node:|libsql|@redis|pino|@hono\/node)/.test(name)),
      );
    expect(wrong).toEqual([]);
  });
});

describe('every file has one reason to change', () => {
  test('a file of the product opens with one sentence saying what it is', () => {
    const silent = product.filter(
      (file) => !file.endsWith('.d.ts') && !/^(#![^\n]*\n)?(\/\*\*|\/\/)/.test(read(file)),
    );
    expect(silent).toEqual([]);
  });

  test('no file of the product is longer than 250 lines', () => {
    const long = product.filter((file) => read(file).split('\n').length > 251);
    expect(long).toEqual([]);
  });

  test('no file is called by what it is not', () => {
    const vague = code.filter((file) => /(^|\/)(utils?|helpers?|common|types|misc)(\.tsx?$|\/)/.test(file));
    expect(vague).toEqual([]);
  });
});

test('nothing in the widget can turn a string into markup or code', () => {
  const sinks =
    /\binnerHTML\b|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|DOMParser|document\.write|\beval\(|new Function|setHTML/;
  expect(product.filter((file) => file.startsWith('widget/') && sinks.test(read(file)))).toEqual([]);
});

test('no test is switched off', () => {
  const off = /\b(?:it|test|describe)\.(?:skip|only|todo)\(/;
  expect(code.filter((file) => file !== 'test/house.test.ts' && off.test(read(file)))).toEqual([]);
});

test('no path of one machine and no unfinished mark stands in the tree', () => {
  const own = 'test/house.test.ts';
  const marks = /\/(?:home|root|work)\/[a-z]|\b(?:TODO|FIXME|XXX)\b|@ts-(?:ignore|nocheck)/;
  const text = files.filter((file) => /\.(ts|tsx|mjs|md|json|css|html)$/.test(file));
  expect(
    text.filter((file) => file !== own && !file.startsWith('test/vectors/') && marks.test(read(file))),
  ).toEqual([]);
});

/** npm takes out of a lock file what the registry did not have that day, and `npm ci` refuses it on every machine after. */
test.each(files.filter((file) => file.endsWith('package-lock.json')))('%s is whole', (file) => {
  type Locked = { dependencies?: object; optionalDependencies?: object };
  const { packages } = JSON.parse(read(file)) as { packages: Record<string, Locked> };
  const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  const wanted = Object.values(packages).flatMap((one) =>
    Object.keys({ ...one.dependencies, ...one.optionalDependencies }),
  );
  expect(wanted.length).toBeGreaterThan(20);
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});

/** What stands in `docs/` is what the tests run, and every link leads somewhere. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createMetrics } from '../server-helper/metrics.ts';
import { endKinds, isTurnEventKind, limits, problems } from '../server-helper/protocol/wire.ts';
import { states } from '../widget/states.ts';
import { english } from './support/english.ts';

const pages = ['README.md', ...readdirSync('docs').map((name) => `docs/${name}`)];
const read = (file: string) => readFileSync(file, 'utf8');

/** As GitHub names the anchors of headings. */
const toAnchors = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.next'))
    .flatMap((one) => (one.isDirectory() ? listFiles(join(folder, one.name)) : [join(folder, one.name)]));
}

test.each(pages)('the links of %s lead to what is there', (page) => {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const lost = links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(file)) return true;
    return anchor !== undefined && statSync(file).isFile() && !toAnchors(read(file)).includes(anchor);
  });
  expect(lost).toEqual([]);
});

describe('docs/install.md', () => {
  const snippets = [...read('docs/install.md').matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
  const hosts = listFiles('server-helper/templates');

  test('each snippet is a file that `porchlight init` writes and the mount tests run, and each is told', () => {
    expect(snippets.toSorted()).toEqual(hosts.map(read).toSorted());
  });
});

test('docs/words.md tells each word of the chat, as it is', () => {
  const rows = [...read('docs/words.md').matchAll(/^\| `([\w-]+)` \| (.+) \|$/gm)];
  expect(Object.fromEntries(rows.map(([, name, text]) => [name, text]))).toEqual(english);
});

test('docs/operation.md tells each metric, and no other', () => {
  const counted = createMetrics().write({
    liveTurns: 0,
    readers: 0,
    heldBytes: 0,
    process: { delaySeconds: { p50: 0, p99: 0, max: 0 }, residentBytes: 0 },
  });
  const names = [...counted.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
  const page = read('docs/operation.md');
  const section = page.slice(page.indexOf('## What is counted'), page.indexOf('## The owner'));
  const told = [...section.matchAll(/`(porchlight_\w+)/g)].map(([, name]) => name);
  expect(told.toSorted()).toEqual(names.toSorted());
});

test('docs/threat-model.md names tests that are there', () => {
  const named = [...read('docs/threat-model.md').matchAll(/`((?:unit|contract|browser)\/[\w-]+)`/g)];
  expect(named.length).toBeGreaterThan(10);
  expect(named.map(([, name]) => name).filter((name) => !existsSync(`test/${name}.test.ts`))).toEqual([]);
});

describe('docs/http-api.md', () => {
  const page = read('docs/http-api.md');
  const rows = [...page.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)].map(([, name = '', rest = '']) => ({
    name,
    rest,
  }));

  test('tells each route of the helper, and no other', () => {
    const routes = read('server-helper/handler.ts').matchAll(
      /api\.(get|post|put|patch|delete)\(\s*'([^']+)'/g,
    );
    const told = rows.map(({ name }) => name).filter((name) => /^[A-Z]+ /.test(name));
    expect(told.toSorted()).toEqual(
      [...routes].map(([, method = '', path]) => `${method.toUpperCase()} ${path}`).toSorted(),
    );
  });

  test('tells each problem code with its status, and whether it may succeed later', () => {
    const told = rows.filter(({ rest }) => /^ \d{3} /.test(rest));
    expect(
      told.map(({ name, rest }) => [
        name,
        ...rest
          .split('|')
          .slice(0, 2)
          .map((cell) => cell.trim()),
      ]),
    ).toEqual(
      Object.entries(problems).map(([code, { status, retryable }]) => [
        code,
        String(status),
        retryable ? 'yes' : 'no',
      ]),
    );
  });

  test('tells each event of a turn', () => {
    const section = page.slice(page.indexOf('## Events'), page.indexOf('## Problems'));
    const kinds = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, kind]) => kind);
    expect(kinds.length).toBe(9);
    expect(kinds.filter((kind) => !isTurnEventKind(kind))).toEqual([]);
    for (const kind of endKinds) expect(section).toContain(`\`${kind}\``);
  });

  test('its figures are the wire’s', () => {
    expect(page).toContain(`at most ${limits.maxBodyBytes / 1024} KiB`);
    expect(page).toContain(`every ${limits.heartbeatMs / 1000} s`);
  });
});

describe('docs/operation.md', () => {
  const page = read('docs/operation.md');
  const readAll = (folder: string) =>
    listFiles(folder)
      .filter((file) => /\.tsx?$/.test(file))
      .map(read)
      .join('\n');
  const helper = readAll('server-helper');

  test('tells every line of the log that warns, and none that there is not', () => {
    const said = [...helper.matchAll(/log\.(?:warn|error)\((?:[^;`]*?)[,?:]\s*'([^'{}]{12,})',?\s*\)/g)].map(
      ([, line = '']) => line,
    );
    expect(said.length).toBeGreaterThan(20);
    expect(said.filter((line) => !page.includes(`\`${line}\``))).toEqual([]);
    const section = page.slice(
      page.indexOf('## What the log says'),
      page.indexOf('## What the page’s console'),
    );
    const told = [...section.matchAll(/`([^`]+)`/g)]
      .map(([, line = '']) => line)
      .filter((line) => / .* /.test(line));
    expect(told.filter((line) => !helper.includes(line))).toEqual([]);
  });

  test('tells every line for the console that the states have, and none that there is not', () => {
    for (const { owner } of Object.values(states)) if (owner) expect(page).toContain(`\`${owner}\``);
    const section = page.slice(page.indexOf('## What the page’s console'), page.indexOf('## Data'));
    const told = [...section.matchAll(/^\|.*?\|/gm)]
      .flatMap(([cell]) => [...cell.matchAll(/`([^`]+)`/g)])
      .map(([, line = '']) => line);
    const widget = readAll('widget');
    expect(told.length).toBeGreaterThan(8);
    expect(told.filter((line) => !widget.includes(line))).toEqual([]);
    const said = [...widget.matchAll(/console\.error\(\s*['`]Porchlight: ([^'`]{4,})['`]/g)]
      .map(([, line = '']) => line)
      // Those of the states are looked at above; what `onBeforeDisplay` did wrong is told whole.
      .filter((line) => !/\$\{(owner|text)\}$/.test(line));
    expect(said.length).toBeGreaterThan(12);
    expect(said.filter((line) => !told.some((part) => line.includes(part)))).toEqual([]);
  });
});

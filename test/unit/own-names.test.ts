/** What the build shortens is read by nothing outside of the widget, and kept nowhere. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findTaken, names, ownNames, shortenStyles } from '../../widget/build/own-names.ts';
import * as english from '../../widget/strings/en.ts';

/** Each word of these files may be somebody else's: the wire, the page's side, what is stored, what other tabs are told. */
const others = [
  'server-helper/protocol/wire.ts',
  'widget/public.ts',
  'widget/seat.ts',
  'widget/options.ts',
  'widget/index.ts',
  'widget/state/stored.ts',
  'widget/state/unsent.ts',
  'widget/transport/tabs.ts',
];

test.each(others)('no name is a word of %s', (file) => {
  const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*|^import [^;]*;/gm, '');
  // `session-expired` is a word of its own.
  const words = new Set(code.match(/[A-Za-z_][\w-]*/g));
  expect(names.filter((name) => words.has(name))).toEqual([]);
});

test('no name is what one file gives another that is loaded later', () => {
  const files = readdirSync('widget', { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const exported = files.flatMap((name) =>
    [
      ...readFileSync(`widget/${name}`, 'utf8').matchAll(
        /^export (?:async )?(?:function|const|class) (\w+)/gm,
      ),
    ].map(([, given]) => given),
  );
  expect(names.filter((name) => exported.includes(name))).toEqual([]);
});

test('no name is a sentence’s', () => {
  expect(names.filter((name) => name in english.en)).toEqual([]);
});

test('each stands in the widget’s own code', () => {
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(50);
});

test('each has a short name of its own, and the build is told of one that is taken', () => {
  const shorts = Object.values(ownNames.cache.props.props);
  expect(new Set(shorts).size).toBe(names.length);
  for (const short of shorts) {
    expect(findTaken(`a.${short} = 1`)).toBe(short);
    expect(findTaken(`({ b, ${short}: 1 })`)).toBe(short);
    expect(findTaken(`${short}(b, ${short})`)).toBeUndefined();
  }
});

test('a style is named alike wherever it stands, and one that is not listed is told', () => {
  const styles = readdirSync('widget', { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(css|tsx?)$/.test(name) && !name.startsWith('build'))
    .flatMap((name) => readFileSync(`widget/${name}`, 'utf8').match(/--_pl-[\w-]+/g) ?? []);
  const own = new Set(styles);
  expect(own.size).toBeGreaterThan(10);
  expect(new Set([...own].map(shortenStyles)).size).toBe(own.size);
  expect(shortenStyles('a{color:var(--_pl-ink)}')).toMatch(/^a\{color:var\(--_\w\)\}$/);
  expect(() => shortenStyles('--_pl-unknown')).toThrow('--_pl-unknown');
});

/** Which statement of the API document is shown by which tests: the table of demo/agent/README.md. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import rows from '../../vectors/agent-api-rows.json' with { type: 'json' };

const file = 'demo/agent/README.md';
const head = /^[\s\S]*?\n## Rows\n\n.*\n/;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'test'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((name) => /^test\/(contract|browser|unit\/agent)\/.*\.ts$/.test(name));
/** By row, the files whose tests name it in their titles. */
const shown = new Map<string, Set<string>>();
for (const name of files)
  for (const [, list = ''] of readFileSync(name, 'utf8').matchAll(/\((S\d+(?:, S\d+)*)\)['`]/g))
    for (const row of list.split(', ')) shown.set(row, (shown.get(row) ?? new Set()).add(name));

test('the table is what the titles of tests say', async () => {
  const lines = rows.map(({ id, section, statement }) => {
    const links = [...(shown.get(id) ?? [])].map((name) => `[${basename(name, '.ts')}](../../${name})`);
    return `| ${id} | ${section} | ${statement.replaceAll('|', '\\|')} | ${links.join(', ') || '–'} |`;
  });
  const [prose] = head.exec(readFileSync(file, 'utf8'))!;
  const table = ['', '| row | section | statement | shown by |', '| --- | --- | --- | --- |', ...lines, ''];
  await expect(prose + table.join('\n')).toMatchFileSnapshot(`../../../${file}`);
});

test('a title names no row that is not there', () => {
  const known = new Set(rows.map(({ id }) => id));
  expect([...shown.keys()].filter((id) => !known.has(id))).toEqual([]);
});

test('each variable of the service is told, and no other', () => {
  const code = ['start', 'environment'].map((name) => readFileSync(`demo/agent/${name}.ts`, 'utf8')).join();
  const read = code.matchAll(/\b(?:AGENT|PROVIDER)_[A-Z_]+/g);
  const [prose] = head.exec(readFileSync(file, 'utf8'))!;
  const told = prose.matchAll(/`((?:AGENT|PROVIDER)_[A-Z_]+)`/g);
  expect([...new Set([...told].map(([, name]) => name))].sort()).toEqual(
    [...new Set([...read].map(([name]) => name))].sort(),
  );
});

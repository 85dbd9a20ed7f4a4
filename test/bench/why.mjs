/** What the widget's bytes are made of: how much smaller each file would be, packed, without one source of it. */
import { SourceMap } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBuilder } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));
const shown = 40;

/** Builds the widget's app and loader anew, in memory and with source maps. */
async function build() {
  const builder = await createBuilder({ root, logLevel: 'error' });
  const outputs = [];
  for (const name of ['app', 'loader']) {
    const environment = builder.environments[name];
    Object.assign(environment.config.build, { write: false, sourcemap: 'hidden' });
    outputs.push(...[await builder.build(environment)].flat());
  }
  return outputs.flatMap(({ output }) => output).filter(({ type }) => type === 'chunk');
}

/** For each source the pieces of the code that come from it, as [from, to] in characters. */
function toPieces({ code, map }) {
  const lookup = new SourceMap(JSON.parse(map.toString()));
  const pieces = new Map();
  let lineStart = 0;
  code.split('\n').forEach((line, lineNumber) => {
    let from = 0;
    let source = lookup.findEntry(lineNumber, 0).originalSource;
    for (let column = 1; column <= line.length; column += 1) {
      const next = column === line.length ? undefined : lookup.findEntry(lineNumber, column).originalSource;
      if (next === source && column < line.length) continue;
      const list = pieces.get(source) ?? [];
      list.push([lineStart + from, lineStart + column]);
      pieces.set(source, list);
      from = column;
      source = next;
    }
    lineStart += line.length + 1;
  });
  return pieces;
}

function without(code, list) {
  let rest = '';
  let at = 0;
  for (const [from, to] of list) {
    rest += code.slice(at, from);
    at = to;
  }
  return rest + code.slice(at);
}

/** A package's name, or the path of a file of ours. */
function toName(source, fileName) {
  if (!source) return '(styles, and the build’s own)';
  const path = relative(root, resolve(root, 'dist/widget', fileName, '..', source));
  return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? path.replace(/^(\.\.\/)+/, '');
}

/** @param pack bytes → how many they are when packed */
export async function printReasons(pack) {
  for (const chunk of await build()) {
    const whole = pack(Buffer.from(chunk.code));
    const parts = new Map();
    for (const [source, list] of toPieces(chunk)) {
      const name = toName(source, chunk.fileName);
      parts.set(
        name,
        [...(parts.get(name) ?? []), ...list].sort((a, b) => a[0] - b[0]),
      );
    }
    const rows = [...parts].map(([name, list]) => ({
      name,
      raw: list.reduce((sum, [from, to]) => sum + to - from, 0),
      packed: whole - pack(Buffer.from(without(chunk.code, list))),
    }));
    console.log(
      `\n${chunk.fileName}: ${whole} B packed, ${chunk.code.length} B raw. Without this, it is smaller by:`,
    );
    console.log(' packed      raw');
    for (const { name, raw, packed } of rows.sort((a, b) => b.packed - a.packed).slice(0, shown))
      console.log(`${String(packed).padStart(7)}  ${String(raw).padStart(7)}  ${name}`);
  }
}

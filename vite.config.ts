/** Builds all three parts: the widget's loader (a classic script), its app (modules, loaded on intent), and what runs on Node. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { EnvironmentOptions, Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const widgetFolder = 'dist/widget';
/** Browsers that know `light-dark()`: for older ones each `color-scheme` would be written three times. */
const cssTarget = ['chrome123', 'firefox120', 'safari17.5'];

/** A built file, with a hash of its content in the name. */
function findFile(entry: string): string {
  return readdirSync(widgetFolder).find((name) => name.startsWith(`${entry}-`) && name.endsWith('.js')) ?? '';
}

/** Tells the loader the hashed names of what it loads, which is built first. */
const nameApp: Plugin = {
  name: 'porchlight:name-app',
  renderChunk: (code) =>
    code.includes('__APP_FILE__')
      ? code
          .replaceAll('__APP_FILE__', JSON.stringify(findFile('app')))
          .replaceAll('__NOTE_FILE__', JSON.stringify(findFile('loader-note')))
      : null,
};

/** Drops `,name={…}` from a list of variables. */
function withoutVariable(code: string, name: string): string {
  const from = code.indexOf(`,${name}={`);
  let depth = 0;
  for (let at = code.indexOf('{', from); from >= 0 && at < code.length; at += 1) {
    depth += { '{': 1, '}': -1 }[code[at]!] ?? 0;
    if (depth === 0) return code.slice(0, from) + code.slice(at + 1);
  }
  return code;
}

/**
 * Of marked only the lexer is wanted, without the dialects that nobody asks for, and all else is kept alive by an instance that it makes at load. Cut off here,
 * the unused classes fall away: a tenth of what an opened chat weighs.
 */
const cutMarked: Plugin = {
  name: 'porchlight:cut-marked',
  transform(code, id) {
    if (!/marked[\\/]lib[\\/]marked\.esm\.js$/.test(id)) return null;
    const from = code.search(/var \w+=new \w+;function \w+\(\w+,\w+\)\{return \w+\.parse\(/);
    const lexer = /[{,](\w+) as Lexer[,}]/.exec(code)?.[1];
    const tokenizer = /[{,](\w+) as Tokenizer[,}]/.exec(code)?.[1];
    if (from < 0 || !lexer || !tokenizer) throw new Error('marked has another shape now: see cutMarked');
    const unused = /,(?:breaks:(\w+),)?pedantic:(\w+)\}/g;
    let kept = code.slice(0, from).replace(/this\.options\.(?:pedantic|breaks)/g, 'false');
    for (const rules of [...kept.matchAll(unused)].flatMap(([, ...names]) => names))
      if (rules) kept = withoutVariable(kept, rules);
    kept = kept.replace(unused, '}');
    return `${kept}export { ${lexer} as Lexer, ${tokenizer} as Tokenizer };`;
  },
};

/** A file loaded on demand has nothing to preload, and a page's own listeners hear nothing of it. */
const plainImport: Plugin = {
  name: 'porchlight:plain-import',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load();' : null,
};

/** `loader.js` is the short alias; its twin with a hash in the name never changes, and has an integrity hash. */
function finishWidget(): void {
  const loader = readFileSync(join(widgetFolder, 'loader.js'));
  const hash = createHash('sha256').update(loader).digest('base64url').slice(0, 8);
  const versioned = `loader-${hash}.js`;
  writeFileSync(join(widgetFolder, versioned), loader);
  const integrity = `sha384-${createHash('sha384').update(loader).digest('base64')}`;
  const manifest = { loader: versioned, integrity, app: findFile('app') };
  writeFileSync(join(widgetFolder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of readdirSync(widgetFolder)) {
    if (!name.endsWith('.js')) continue;
    const packed = brotliCompressSync(readFileSync(join(widgetFolder, name)), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11 },
    });
    writeFileSync(join(widgetFolder, `${name}.br`), packed);
  }
}

/** Runs on Node as it is: packages stay imports, and so does this one. */
function toNodeEnvironment(outDir: string, input: Record<string, string>): EnvironmentOptions {
  return {
    consumer: 'server',
    resolve: { external: true },
    build: {
      outDir,
      ssr: true,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input,
        external: [/^porchlight/],
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  };
}

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [nameApp, cutMarked, plainImport],
  environments: {
    app: {
      consumer: 'client',
      build: {
        outDir: widgetFolder,
        target: 'es2022',
        cssTarget,
        modulePreload: false,
        minify: true,
        rolldownOptions: {
          input: { app: 'widget/element.ts', 'loader-note': 'widget/state/subject.ts' },
          output: { entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js' },
          preserveEntrySignatures: 'allow-extension',
        },
      },
    },
    loader: {
      consumer: 'client',
      build: {
        outDir: widgetFolder,
        emptyOutDir: false,
        target: 'es2022',
        cssTarget,
        modulePreload: false,
        minify: true,
        rolldownOptions: {
          input: { loader: 'widget/loader.ts' },
          output: { format: 'iife', entryFileNames: '[name].js' },
        },
      },
    },
    helper: toNodeEnvironment('dist/server-helper', {
      index: 'server-helper/index.ts',
      node: 'server-helper/node.ts',
      sqlite: 'server-helper/store/sqlite.ts',
      protocol: 'server-helper/protocol/wire.ts',
      cli: 'server-helper/cli.ts',
    }),
    demo: toNodeEnvironment('dist/demo', { start: 'demo/start.ts', agent: 'demo/agent/main.ts' }),
  },
  builder: {
    async buildApp(builder) {
      await builder.build(builder.environments.app!);
      await builder.build(builder.environments.loader!);
      await builder.build(builder.environments.helper!);
      await builder.build(builder.environments.demo!);
      finishWidget();
    },
  },
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // As patient as the browser's own waits.
    expect: { poll: { timeout: 15_000 } },
    // The browser tests mostly wait: two files at once cost little more than one.
    maxWorkers: 2,
  },
});

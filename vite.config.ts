/** Builds all three parts: the widget's loader (a classic script, and its sister for boxes of a page), its app (modules, loaded on intent), and what runs on Node. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { BuildEnvironmentOptions, EnvironmentOptions, Plugin, Rolldown } from 'vite';
import { defineConfig } from 'vitest/config';
import { cutMarked } from './widget/build/cut-marked.ts';
import { cutHooks, cutPreact } from './widget/build/cut-preact.ts';
import { cutCore, cutSignals } from './widget/build/cut-signals.ts';
import { cutStates } from './widget/build/cut-states.ts';
import { findTaken, ownNames, shortenStyles } from './widget/build/own-names.ts';

const widgetFolder = 'dist/widget';
/** Of a hash in a file's name: each weighs in the list of what is loaded later. */
const hashChars = 6;
/** Browsers that know `light-dark()`: for older ones each `color-scheme` would be written three times. */
const cssTarget = ['chrome123', 'firefox128', 'safari17.5'];

/** Which of these ways is the tightest differs from file to file. */
const packings = [16, 17].flatMap((window) =>
  [0, 1, 2].flatMap((postfix) =>
    [0, 2, 4, 8, 12].map((direct) => ({
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: window,
      [constants.BROTLI_PARAM_LGBLOCK]: 17,
      [constants.BROTLI_PARAM_NPOSTFIX]: postfix,
      [constants.BROTLI_PARAM_NDIRECT]: direct << postfix,
    })),
  ),
);

function pack(bytes: Uint8Array): Uint8Array {
  const [tightest] = packings
    .map((params) => brotliCompressSync(bytes, { params }))
    .sort((one, other) => one.length - other.length);
  return tightest!;
}

/** One after the other; what mostly waits, more files at once than there are cores. */
const testKinds = [
  { name: 'unit', include: ['test/{unit,view,answers}/**/*.test.{ts,tsx}', 'test/*.test.ts'], maxWorkers: 2 },
  { name: 'contract', include: ['test/{contract,mounts}/**/*.test.ts'], maxWorkers: 6 },
  {
    name: 'redis',
    include: ['test/contract/wire-{two-helpers,other-helper}.test.ts'],
    env: { TEST_STORE: 'redis' },
    maxWorkers: 2,
  },
  { name: 'browser', include: ['test/browser/**/*.test.ts'], maxWorkers: 3 },
];

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
          .replaceAll('__SELDOM_FILE__', JSON.stringify(findFile('seldom')))
      : null,
};

/** The classic runtime is lighter than the automatic one, which names every list of children, but is not imported by itself. */
const importJsx: Plugin = {
  name: 'porchlight:import-jsx',
  enforce: 'pre',
  transform: (code, id) => (id.endsWith('.tsx') ? `import { Fragment, h } from 'preact';${code}` : null),
};

/** All but the demo's own page. */
const isSqueezed = ({ name }: { name: string }) => name !== 'desk';

/** Names of the widget’s own styles, in all of its files alike. */
const shortenOwn: Plugin = {
  name: 'porchlight:shorten-own',
  applyToEnvironment: isSqueezed,
  renderChunk: (code) => shortenStyles(code),
};

/** What the minifier is to name properties must not be one already. */
const refuseTaken: Plugin = {
  name: 'porchlight:refuse-taken',
  applyToEnvironment: ({ config }) => config.build.minify === 'terser',
  renderChunk(code, { fileName }) {
    const taken = findTaken(code);
    if (taken) this.error(`${fileName} has a property ${taken}: take it off the short names of own-names.ts`);
    return null;
  },
};

/** One word for all names, which packs better and lets the minifier join them. No text of the widget's has the other. */
const letAll: Plugin = {
  name: 'porchlight:let-all',
  applyToEnvironment: ({ config }) => config.build.minify === 'terser',
  renderChunk: (code) => code.replace(/\bconst (?=[\w$[{])/g, 'let '),
};

/** The minifier writes `void 0` for undefined. Where it does so often, a name for it packs better. */
const nameUndefined: Plugin = {
  name: 'porchlight:name-undefined',
  enforce: 'post',
  applyToEnvironment: ({ config }) => config.build.minify === 'terser',
  renderChunk: {
    order: 'post',
    handler(code, _chunk, { format }) {
      if (format !== 'es' || code.includes('$$') || code.split('void 0').length < 10) return null;
      return `let $$;${code.replaceAll('void 0', () => '$$')}`;
    },
  },
};

/** Of these packages what is used here. */
const cutPackages: Plugin = {
  name: 'porchlight:cut-packages',
  applyToEnvironment: isSqueezed,
  transform(code, id) {
    if (/marked[\\/]lib[\\/]marked\.esm\.js$/.test(id)) return cutMarked(code);
    if (/[\\/]preact[\\/]dist[\\/]preact\.mjs$/.test(id)) return cutPreact(code);
    if (/[\\/]preact[\\/]hooks[\\/]dist[\\/]hooks\.mjs$/.test(id)) return cutHooks(code);
    if (/@preact[\\/]signals[\\/]dist[\\/]signals\.mjs$/.test(id)) return cutSignals(code);
    if (/@preact[\\/]signals-core[\\/]dist[\\/]signals-core\.mjs$/.test(id)) return cutCore(code);
    return null;
  },
};

/** Of the table of states what the widget asks it for; tests read all of it. */
const cutTable: Plugin = {
  name: 'porchlight:cut-table',
  apply: 'build',
  applyToEnvironment: isSqueezed,
  transform: (code, id) => (/[\\/]widget[\\/]states\.ts$/.test(id) ? cutStates(code) : null),
};

/** A file loaded on demand has nothing to preload, and a page's own listeners hear nothing of it. */
const plainImport: Plugin = {
  name: 'porchlight:plain-import',
  applyToEnvironment: isSqueezed,
  enforce: 'pre',
  load: (id) =>
    id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load();' : null,
  /** Nor does it need the functions around the import, which the minifier then unwraps. */
  renderChunk: (code) =>
    code
      .replace(
        /async \(\) => \{\s*const \{ (\w+) \} = await (import\("[^"]+"\));\s*return \{ \1 \};\s*\}/g,
        '() => $2',
      )
      .replaceAll('__vitePreload(', '(')
      .replaceAll(', __VITE_PRELOAD__)', ')()'),
};

/** `loader.js` is the short alias; its twin with a hash in the name never changes, and has an integrity hash. */
function finishWidget(): void {
  const loader = readFileSync(join(widgetFolder, 'loader.js'));
  const versioned = `loader-${toHash(loader).slice(0, hashChars)}.js`;
  writeFileSync(join(widgetFolder, versioned), loader);
  const integrity = `sha384-${createHash('sha384').update(loader).digest('base64')}`;
  const manifest = { loader: versioned, integrity, app: findFile('app') };
  writeFileSync(join(widgetFolder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of readdirSync(widgetFolder)) {
    if (!name.endsWith('.js')) continue;
    writeFileSync(join(widgetFolder, `${name}.br`), pack(readFileSync(join(widgetFolder, name))));
  }
}

/** The built widget as a module of the helper, which on some runtimes has no file system to read it from. */
const bundleWidget: Plugin = {
  name: 'porchlight:bundle-widget',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('server-helper/widget-bundle.ts') ? `export const files = ${toWidgetBundle()};` : null,
};

function toWidgetBundle(): string {
  const names = existsSync(widgetFolder) ? readdirSync(widgetFolder) : [];
  const files = names
    .filter((name) => /\.js(on)?$/.test(name))
    .map((name) => {
      const bytes = readFileSync(join(widgetFolder, name));
      const packed = join(widgetFolder, `${name}.br`);
      return {
        name,
        text: bytes.toString(),
        ...(existsSync(packed) && { brotli: readFileSync(packed, 'base64') }),
        ...(!hashed.test(name) && { etag: `W/"${toHash(bytes).slice(0, 16)}"` }),
      };
    });
  return JSON.stringify(files, null, 2);
}

/** Such a name stands for its content. */
const hashed = new RegExp(`-[\\w-]{${hashChars}}\\.js$`);
const toHash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64url');

const toTerserOptions = (compress: object) => ({
  module: true,
  ecma: 2022 as const,
  // More of it in one place is less that is alike.
  compress: {
    passes: 6,
    inline: 1 as const,
    unsafe_arrows: true,
    unsafe_methods: true,
    keep_fargs: false,
    collapse_vars: true,
    loops: false,
    ...compress,
  },
});

const hashedName = `[name]-[hash:${hashChars}].js`;

/** Modules for browsers. */
function toWidgetEnvironment(
  input: Record<string, string>,
  options: BuildEnvironmentOptions = {},
  output: Rolldown.OutputOptions = {},
): EnvironmentOptions {
  return {
    consumer: 'client',
    // A page's own `const URL = '…'` is in every script's way. By this name browsers have it too.
    define: { URL: 'webkitURL' },
    // Of packages the modules for today's browsers: `browser` names those for older ones.
    resolve: { conditions: ['import'] },
    build: {
      outDir: widgetFolder,
      emptyOutDir: false,
      target: 'es2022',
      cssTarget,
      modulePreload: false,
      minify: 'terser',
      terserOptions: {
        ...toTerserOptions({}),
        mangle: { properties: { regex: ownNames.regex, builtins: true } },
        nameCache: ownNames.cache,
      },
      rolldownOptions: {
        input,
        // Terser takes its time, and the build need not say so.
        checks: { pluginTimings: false },
        // What is written in fewer characters is compressed to less.
        output: {
          entryFileNames: hashedName,
          chunkFileNames: hashedName,
          hashCharacters: 'hex',
          ...output,
        },
        preserveEntrySignatures: 'allow-extension',
      },
      ...options,
    },
  };
}

/** The desk of the demo's agent: a page of its own, whole packages, nothing squeezed. */
const desk: EnvironmentOptions = {
  consumer: 'client',
  build: {
    outDir: 'dist/desk',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget,
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: {
      input: { desk: 'demo/desk/main.tsx', preview: 'demo/desk/preview.ts' },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        assetFileNames: 'desk.[ext]',
      },
    },
  },
};

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
  oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment', development: false } },
  plugins: [
    nameApp,
    importJsx,
    shortenOwn,
    refuseTaken,
    letAll,
    cutPackages,
    cutTable,
    plainImport,
    bundleWidget,
    nameUndefined,
  ],
  environments: {
    app: toWidgetEnvironment(
      { app: 'widget/element.ts' },
      // What is bundled is no dependency that brings its licence along.
      { emptyOutDir: true, license: { fileName: 'licenses.md' } },
      // One file, and not a second one for what the pieces loaded later share with it.
      { codeSplitting: { groups: [{ name: 'app', test: /widget\/element\.ts$/ }] } },
    ),
    // The loader loads it where the app is not loaded, so it shares no file with the app.
    note: toWidgetEnvironment({ seldom: 'widget/seldom.ts' }),
    loader: toWidgetEnvironment(
      { loader: 'widget/loader.ts' },
      // Of so few lines the plain ones pack better.
      {
        terserOptions: toTerserOptions({
          conditionals: false,
          unsafe_arrows: false,
          unsafe_comps: true,
          negate_iife: false,
        }),
      },
      { format: 'iife', entryFileNames: '[name].js' },
    ),
    inline: toWidgetEnvironment(
      { inline: 'widget/inline.ts' },
      {},
      { format: 'iife', entryFileNames: '[name].js' },
    ),
    // For a page's own bundle, which minifies it.
    embed: {
      ...toWidgetEnvironment(
        { index: 'widget/index.ts' },
        { outDir: 'dist/embed', emptyOutDir: true, minify: false },
        { entryFileNames: '[name].js' },
      ),
      // Its tests may run where there is no browser.
      define: {},
    },
    helper: toNodeEnvironment('dist/server-helper', {
      index: 'server-helper/index.ts',
      node: 'server-helper/node.ts',
      sqlite: 'server-helper/store/sqlite.ts',
      redis: 'server-helper/store/redis/redis.ts',
      environment: 'server-helper/from-environment.ts',
      next: 'server-helper/mount/next.ts',
      fastify: 'server-helper/mount/fastify.ts',
      protocol: 'server-helper/protocol/wire.ts',
      cli: 'server-helper/cli.ts',
    }),
    desk,
    demo: toNodeEnvironment('dist/demo', {
      start: 'demo/start.ts',
      agent: 'demo/agent/main.ts',
      'search-worker': 'demo/agent/workspace/search-worker.js',
    }),
  },
  builder: {
    async buildApp(builder) {
      await builder.build(builder.environments.app!);
      await builder.build(builder.environments.note!);
      await builder.build(builder.environments.loader!);
      await builder.build(builder.environments.inline!);
      await builder.build(builder.environments.embed!);
      finishWidget();
      await builder.build(builder.environments.helper!);
      await builder.build(builder.environments.desk!);
      await builder.build(builder.environments.demo!);
    },
  },
  test: {
    projects: testKinds.map((kind, order) => ({
      extends: true,
      test: { ...kind, sequence: { groupOrder: order } },
    })),
    // What a helper says on the console is read where a test has failed.
    silent: 'passed-only',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // As patient as the browser's own waits.
    expect: { poll: { timeout: 15_000 } },
    // Of others nothing is read.
    css: { include: [/server-helper\/admin\/page\.css/] },
    // As it is built: cut.
    server: { deps: { inline: ['marked', '@preact/signals'] } },
  },
});

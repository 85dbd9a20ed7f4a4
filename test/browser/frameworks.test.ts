/** The guide’s components for React and Vue, bundled with them as a site would. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { visit } from '../support/browser.ts';
import { startFakeHelper } from '../support/fakehelper.ts';
import { useStage } from '../support/stage.ts';

const root = process.cwd();
/** Mounts the guide's `Help`, and has `show(token)` draw it anew. */
const mounts = {
  React: `import { createElement, StrictMode } from 'react';
    import { createRoot } from 'react-dom/client';
    import { Help } from './help.jsx';
    const root = createRoot(document.querySelector('main'));
    window.show = (token) => root.render(createElement(StrictMode, null, token && createElement(Help, { token })));`,
  Vue: `import { createApp, h, reactive } from 'vue';
    import { Help } from './help.js';
    const state = reactive({ token: undefined });
    createApp({ render: () => state.token && h(Help, { token: state.token }) }).mount('main');
    window.show = (token) => { state.token = token; };`,
};

const stage = useStage(() =>
  startFakeHelper({
    answer: (question) => ({ pieces: [`An answer to ${question}`] }),
    pages: (path) =>
      path === '/'
        ? { html: '<!doctype html><title>Help</title><link rel="icon" href="data:,"><main></main>' }
        : undefined,
  }),
);

/** Of the guide: the component that this framework is shown with. */
async function readSnippet(language: string, includes: string): Promise<string> {
  const guide = await readFile('docs/site-owners.md', 'utf8');
  const all = [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  const found = all.map(([, code = '']) => code).find((code) => code.includes(includes));
  if (!found) throw new Error(`docs/site-owners.md shows nothing for ${language} with ${includes}`);
  return found;
}

async function bundleSite(name: keyof typeof mounts): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-site-'));
  try {
    const isReact = name === 'React';
    const help = await readSnippet(isReact ? 'jsx' : 'js', isReact ? 'defineElement' : "from 'vue'");
    await writeFile(join(folder, isReact ? 'help.jsx' : 'help.js'), help);
    await writeFile(join(folder, 'main.js'), mounts[name]);
    const packages = ['react', 'react-dom', 'vue'].map((one) => [one, join(root, 'node_modules', one)]);
    const built = await build({
      configFile: false,
      root: folder,
      logLevel: 'error',
      define: { 'process.env.NODE_ENV': '"development"' },
      resolve: {
        alias: { ...Object.fromEntries(packages), 'porchlight/widget': join(root, 'dist/embed/index.js') },
      },
      oxc: { jsx: { runtime: 'automatic' } },
      build: { write: false, minify: false, rolldownOptions: { input: join(folder, 'main.js') } },
    });
    const [output] = [built].flat() as { output: { code: string; isEntry: boolean }[] }[];
    return output?.output.find(({ isEntry }) => isEntry)?.code ?? '';
  } finally {
    await rm(folder, { recursive: true });
  }
}

test.each(['React', 'Vue'] as const)(
  '%s: the component’s chat answers, takes another token, and goes with it',
  async (name) => {
    const bundle = await bundleSite(name);
    const { page, chat, context } = await visit(stage.browser, `${stage.server.here}/`);
    const errors: string[] = [];
    const tokens: string[] = [];
    page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('request', (request) => {
      if (request.url().endsWith('/session')) tokens.push(request.postDataJSON()?.ssoToken);
    });
    await page.addScriptTag({ type: 'module', content: bundle });
    // A script of the page itself is run when it is.
    await page.waitForFunction('window.show');
    const show = (token?: string) => page.evaluate(`show(${JSON.stringify(token)})`);
    await show('token-of-ada');
    await chat.ask('Anything?');
    await chat.inside('article').getByText('An answer to Anything?').waitFor();
    expect(tokens).toEqual(['token-of-ada']);
    await show('token-of-ben');
    await expect.poll(() => tokens.at(-1)).toBe('token-of-ben');
    expect(await page.locator('porchlight-chat').count()).toBe(1);
    await show();
    await expect.poll(() => page.locator('porchlight-chat').count()).toBe(0);
    expect(errors).toEqual([]);
    await context.close();
  },
  60_000,
);

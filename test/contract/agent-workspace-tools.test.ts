/** What a model can do with the files of a workspace. */

import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../demo/agent/db.ts';
import { createFileStore, type File } from '../../demo/agent/store/files.ts';
import { createWorkspaceTools } from '../../demo/agent/workspace/tools.ts';
import { callTool, say, startProvider } from '../support/agentprovider.ts';
import { type ShopAgent, startShopAgent, target } from '../support/agentservice.ts';

const ssoSecret = 'a1'.repeat(32);
let provider: Awaited<ReturnType<typeof startProvider>>;
let agent: ShopAgent;
let workspace_uuid: string;

beforeEach(async () => {
  provider = await startProvider();
  agent = await startShopAgent({
    // Room for all that a tool gives: what is looked at here is the tools' own bounds.
    contextTokens: 100_000,
    provider: { host: provider.host, key: 'provider-secret', model: 'small' },
    extraKeys: [{ key: 'member-key', role: 'member' }],
    memberEmails: ['staff@shop.example'],
    ssoSecret,
  });
  const made = await agent.client.call('POST', '/v1/bot/workspace/create', { purpose: 'service' });
  workspace_uuid = made.body.workspace.uuid;
});
afterEach(async () => {
  await agent.close();
  await provider.close();
});

const add = async (files: Record<string, string>, uuid = workspace_uuid) => {
  for (const [file_path, content] of Object.entries(files)) {
    const input = { workspace_uuid: uuid, file_path, content };
    const { status, body } = await agent.client.call('POST', '/v1/bot/workspace/file', input);
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
};
const service = {
  purpose: 'service' as const,
  get workspace_uuid() {
    return workspace_uuid;
  },
};
const ask = (input: object, key = target.apiKey) =>
  agent.clientOf(key).chat('Look into the files', { reasoning_mode: 'agent', ...input });
/** What the model is offered. */
const offered = async (input: object, key?: string): Promise<string[]> => {
  const before = provider.requests.length;
  await ask(input, key);
  const { tools = [] } = provider.requests[before]!.body;
  return tools.map((tool: { function: { name: string } }) => tool.function.name);
};
/** What a tool tells it. */
const run = async (name: string, parameters: object, input: object = service) => {
  const before = provider.requests.length;
  provider.scripts.push({ deltas: [callTool(name, parameters)] }, { deltas: [say('Done.')] });
  await ask(input);
  return JSON.parse(provider.requests[before + 1]!.body.messages.at(-1).content);
};
const grep = (parameters: object) => run('grep', parameters);
const shown = ({ matches }: { matches: { path: string; line: number; text: string }[] }) =>
  matches.map(({ path, line, text }) => `${path}:${line}:${text}`);

const reading = ['ls', 'glob', 'grep', 'read_file'];

describe('who has them', () => {
  const ofFiles = async (input: object, key?: string) =>
    (await offered(input, key)).filter((name) => [...reading, 'write_file'].includes(name));

  test('the builder in every mode, and writes in edit alone', async () => {
    for (const [chat_mode, tools] of [
      ['ask', reading],
      ['plan', reading],
      ['edit', [...reading, 'write_file']],
    ] as const)
      expect([chat_mode, await ofFiles({ chat_mode })]).toEqual([chat_mode, tools]);
  });

  test('a service in the workspace that it pinned', async () => {
    expect(await ofFiles(service)).toEqual([...reading, 'write_file']);
    expect(await ofFiles({ purpose: 'service' })).toEqual([]);
  });

  test('a project member in a service too, who plans without writing', async () => {
    const token = await new SignJWT({ external_id: 's-1', email: 'staff@shop.example' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt(agent.clock.now / 1000)
      .setExpirationTime(agent.clock.now / 1000 + 600)
      .sign(new TextEncoder().encode(ssoSecret));
    const { body } = await agent.client.call('POST', '/v1/bot/widget/sso', { token });
    const staff = { ...service, member_id: body.member_id };
    for (const [chat_mode, tools] of [
      ['ask', [...reading, 'write_file']],
      ['plan', reading],
      ['edit', [...reading, 'write_file']],
    ] as const)
      expect([chat_mode, await ofFiles({ ...staff, chat_mode })]).toEqual([chat_mode, tools]);
  });

  test('a visitor has none, whatever is asked for', async () => {
    expect(await ofFiles({ member_id: 'ada' })).toEqual([]);
    expect(await ofFiles({}, 'member-key')).toEqual([]);
    expect(await ofFiles(service, 'member-key')).toEqual([]);
    expect(await ofFiles({ ...service, reasoning_mode: 'standard' })).toEqual([]);
  });

  test('each in its own workspace alone', async () => {
    await add({ 'mine.txt': 'mine' });
    const { body } = await agent.client.call('POST', '/v1/bot/workspace/create', { purpose: 'service' });
    const theirs = { purpose: 'service', workspace_uuid: body.workspace.uuid };
    expect(await run('ls', {}, theirs)).toEqual({ entries: [], truncated: false });
    for (const path of ['/mine.txt', 'mine.txt', `../${workspace_uuid}/mine.txt`])
      expect(await run('read_file', { path }, theirs)).toMatchObject({ error: expect.any(String) });
    expect(await run('write_file', { path: 'mine.txt', content: 'theirs' }, theirs)).toMatchObject({
      version: 1,
    });
    expect((await run('read_file', { path: 'mine.txt' })).content).toBe('mine');
  });
});

test('a file is written, and written again', async () => {
  expect(await run('write_file', { path: 'a/b.md', content: 'Grüße' })).toEqual({
    path: '/a/b.md',
    version: 1,
    size_bytes: 7,
  });
  expect(await run('write_file', { path: '/a/b.md', content: 'x' })).toEqual({
    path: '/a/b.md',
    version: 2,
    size_bytes: 1,
  });
  expect(await run('read_file', { path: '/a/b.md' })).toEqual({
    path: '/a/b.md',
    content: 'x',
    version: 2,
    truncated: false,
  });
  const input = { workspace_uuid, file_path: 'a/b.md' };
  const { file } = (await agent.client.call('GET', '/v1/bot/workspace/file', input)).body;
  expect(file).toMatchObject({ last_edited_by: 'agent', version: 2, content: 'x' });
  const refused = (parameters: object) => run('write_file', parameters);
  expect(await refused({ path: 'a/b.md/c', content: 'x' })).toMatchObject({ code: 'file_exists' });
  expect(await refused({ path: '../x', content: 'x' })).toMatchObject({ code: 'invalid_path' });
  expect(await refused({ path: 'c' })).toMatchObject({ code: 'invalid_parameters' });
  expect(await refused({ path: 'c', content: 'x'.repeat(1_048_577) })).toMatchObject({ code: 'too_large' });
});

test('of a long file the beginning is read', async () => {
  await add({ 'long.txt': 'ab'.repeat(20_000) });
  const { content, truncated } = await run('read_file', { path: 'long.txt' });
  expect([content.length, truncated]).toEqual([30_000, true]);
});

test('ls shows a folder, or all that lies in it (S239)', async () => {
  await add({ 'b/c/d': '1234', 'b/a': '', z: '1', 'b.txt': '' });
  const folder = (path: string) => ({ path, type: 'folder', size_bytes: 0 });
  const file = (path: string, size_bytes = 0) => ({ path, type: 'file', size_bytes });
  expect(await run('ls', {})).toEqual({
    entries: [file('/b.txt'), folder('/b'), file('/z', 1)],
    truncated: false,
  });
  expect(await run('ls', { path: '/b/' })).toEqual({
    entries: [file('/b/a'), folder('/b/c')],
    truncated: false,
  });
  expect((await run('ls', { recursive: true })).entries).toEqual([
    file('/b.txt'),
    folder('/b'),
    file('/b/a'),
    folder('/b/c'),
    file('/b/c/d', 4),
    file('/z', 1),
  ]);
  expect(await run('ls', { path: 'nowhere' })).toMatchObject({ code: 'file_not_found' });
});

test('ls leaves out nothing that is called like what comes after a folder', async () => {
  await add({ '/v1/x.md': 'x', '/v10': 'x', '/v1.txt': 'x', '/v1/0/y.md': 'y', '/v1/00': 'z' });
  const paths = ({ entries }: { entries: { path: string }[] }) => entries.map(({ path }) => path);
  expect(paths(await run('ls', {}))).toEqual(['/v1.txt', '/v1', '/v10']);
  expect(paths(await run('ls', { path: '/v1' }))).toEqual(['/v1/0', '/v1/00', '/v1/x.md']);
});

test('what is told of files is bounded, however long their lines and names are', async () => {
  const long = `${'x'.repeat(900)}\n`.repeat(100);
  await add(Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`/f${n}.txt`, long])));
  const found = await grep({ pattern: 'x', context: 20 });
  expect(JSON.stringify(found).length).toBeLessThan(150_000);
  expect(found.truncated).toBe(true);
  expect(found.files).toEqual(['/f0.txt']);
  const name = 'n'.repeat(450);
  await add(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`/long/${n}-${name}`, ''])));
  for (const [tool, input, list] of [
    ['ls', { path: '/long' }, 'entries'],
    ['glob', { pattern: 'long/**' }, 'files'],
    ['grep', { pattern: 'y', files_without_match: true, path: '/long' }, 'files'],
  ] as const) {
    const told = await run(tool, input);
    expect([tool, told.truncated]).toEqual([tool, true]);
    expect(told[list].length).toBeGreaterThan(200);
    expect(told[list].length).toBeLessThan(230);
  }
});

test('an empty glob is none, and an empty pattern is refused', async () => {
  await add({ '/a.txt': 'yak' });
  for (const include of ['', [''], []])
    expect((await grep({ pattern: 'yak', include })).files).toEqual(['/a.txt']);
  expect(await run('glob', { pattern: '' })).toMatchObject({ code: 'invalid_parameters' });
});

test('what is gone meanwhile is told to the model', async () => {
  const db = openDatabase(':memory:');
  const files = createFileStore(db, Date.now, 10);
  const tools = createWorkspaceTools({ files, workspace: 'gone', mayWrite: true });
  const write = tools.find(({ name }) => name === 'write_file')!;
  expect(await write.run({ path: 'a.txt', content: 'x' }, new AbortController().signal)).toMatchObject({
    ok: false,
    result: { code: 'workspace_not_found' },
  });
  const deleted = { id: 1, workspace: 'gone', path: '/a.txt' } as File;
  expect(() => files.write(deleted, Buffer.from('x'), 'agent')).toThrow('The file is gone.');
  db.close();
});

test('glob finds by pattern, relative to a folder (S238)', async () => {
  await add({ 'a.md': '', 'docs/b.md': '', 'docs/deep/c.md': '', 'docs/.hidden.md': '', 'docs/d.txt': '' });
  const glob = async (pattern: string, path?: string) => (await run('glob', { pattern, path })).files;
  expect(await glob('*.md')).toEqual(['/a.md']);
  expect(await glob('**/*.md')).toEqual(['/a.md', '/docs/.hidden.md', '/docs/b.md', '/docs/deep/c.md']);
  expect(await glob('*.md', '/docs')).toEqual(['/docs/.hidden.md', '/docs/b.md']);
  expect(await glob('docs/*/*.{md,txt}')).toEqual(['/docs/deep/c.md']);
  expect(await glob('!*')).toEqual([]);
  expect(await run('glob', { pattern: '*', path: 'nowhere' })).toMatchObject({ code: 'file_not_found' });
});

describe('grep', () => {
  beforeEach(() =>
    add({
      'a.txt': 'One heron\ntwo Herons\r\nthree\n',
      'docs/b.md': '# Heron\n\nA heron nests.\nIn April.',
      'docs/c.log': 'nothing',
    }),
  );

  test('finds the lines of a pattern, with those around them (S236)', async () => {
    expect(shown(await grep({ pattern: 'heron\\b' }))).toEqual([
      '/a.txt:1:One heron',
      '/docs/b.md:3:A heron nests.',
    ]);
    expect(await grep({ pattern: 'nests', context: 1 })).toEqual({
      matches: [{ path: '/docs/b.md', line: 3, text: 'A heron nests.', before: [''], after: ['In April.'] }],
      files: ['/docs/b.md'],
      truncated: false,
    });
    expect(shown(await grep({ pattern: '^three$' }))).toEqual(['/a.txt:3:three']);
  });

  test('case matters unless it is said (S235)', async () => {
    expect(shown(await grep({ pattern: 'HERON', case_sensitive: false }))).toHaveLength(4);
    expect(shown(await grep({ pattern: 'HERON' }))).toEqual([]);
  });

  test('the lines that do not match (S233)', async () => {
    expect(shown(await grep({ pattern: '[hH]eron', invert_match: true, path: 'docs' }))).toEqual([
      '/docs/b.md:2:',
      '/docs/b.md:4:In April.',
      '/docs/c.log:1:nothing',
    ]);
  });

  test('the files without a match (S232)', async () => {
    expect(await grep({ pattern: '[hH]eron', files_without_match: true })).toEqual({
      matches: [],
      files: ['/docs/c.log'],
      truncated: false,
    });
  });

  test('over the ends of lines (S234)', async () => {
    const { matches } = await grep({ pattern: 'heron nests\\.\\nIn', multiline: true, context: 1 });
    expect(matches).toEqual([
      { path: '/docs/b.md', line: 3, text: 'heron nests.\nIn', before: [''], after: [] },
    ]);
    expect(shown(await grep({ pattern: '^In', multiline: true }))).toEqual(['/docs/b.md:4:In']);
    expect(shown(await grep({ pattern: 'heron nests\\.\\nIn' }))).toEqual([]);
    const inverted = await grep({
      pattern: 'Heron\\n\\nA',
      multiline: true,
      invert_match: true,
      path: 'docs',
    });
    expect(shown(inverted)).toEqual(['/docs/b.md:4:In April.', '/docs/c.log:1:nothing']);
  });

  test('in some of the files, and not in others (S237)', async () => {
    const files = async (parameters: object) => (await grep({ pattern: '.', ...parameters })).files;
    expect(await files({ include: '**/*.md' })).toEqual(['/docs/b.md']);
    expect(await files({ include: ['*.txt', 'docs/*.log'] })).toEqual(['/a.txt', '/docs/c.log']);
    expect(await files({ exclude: ['docs/**'] })).toEqual(['/a.txt']);
    expect(await files({ include: '*.md', path: 'docs' })).toEqual(['/docs/b.md']);
    expect(await files({ path: 'docs/b.md', include: '*.md' })).toEqual(['/docs/b.md']);
  });

  test('shows a hundred matches of a file, and says that there are more (S240)', async () => {
    await add({ 'many.txt': 'x\n'.repeat(101), 'enough.txt': 'y\n'.repeat(100) });
    const more = await grep({ pattern: 'x' });
    expect([more.matches.length, more.truncated]).toEqual([100, true]);
    const all = await grep({ pattern: 'y' });
    expect([all.matches.length, all.truncated]).toEqual([100, false]);
  });

  test('a pattern that is none is refused', async () => {
    expect(await grep({ pattern: '(' })).toMatchObject({ code: 'invalid_pattern' });
    expect(await grep({ pattern: 'x', context: 21 })).toMatchObject({ code: 'invalid_parameters' });
    expect(await grep({})).toMatchObject({ code: 'invalid_parameters' });
  });

  test.each([
    ['to match', '^(a+)+$'],
    // No thread can be ended in it.
    ['to compile', `(?:${'a?'.repeat(300)})${'a'.repeat(39)}b`],
  ])('one that takes for ever %s ends, and holds up nobody', async (_, pattern) => {
    await add({ 'evil.txt': `${'a'.repeat(40)}!` });
    const searching = grep({ pattern });
    let longest = 0;
    let last = performance.now();
    const watching = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 10);
    expect(await searching).toMatchObject({ code: 'timeout' });
    clearInterval(watching);
    expect(longest).toBeLessThan(1_000);
    expect((await grep({ pattern: 'a!' })).matches).toHaveLength(1);
  });
});

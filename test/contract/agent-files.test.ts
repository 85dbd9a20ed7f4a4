/** Workspaces of the local agent service and the files in them. */

import { randomBytes } from 'node:crypto';
import { unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileStore } from '../../demo/agent/store/files.ts';
import { toZip } from '../../demo/agent/workspace/zip.ts';
import { type ShopAgent, startShopAgent, target } from '../support/agentservice.ts';

const question = 'How long does shipping to Canada take?';
let agent: ShopAgent;
let uuid: string;

const extraKeys = [
  { key: 'admin-key', role: 'admin' },
  { key: 'moderator-key', role: 'moderator' },
  { key: 'member-key', role: 'member' },
  { key: 'other-key', role: 'owner', projectId: 'other' },
];
const start = async (options: object = {}) => {
  agent = await startShopAgent({ extraKeys, ...options } as never);
  uuid = await make();
};
afterEach(() => agent.close());

const workspace = (method: string, what: string, input: object = {}, key?: string | null) =>
  agent.client.call(method as 'GET', `/v1/bot/workspace/${what}`, input, key);
const make = async (input: object = {}): Promise<string> =>
  (await workspace('POST', 'create', input)).body.workspace.uuid;
const at = (method: string, what: string, input: object = {}, key?: string | null) =>
  workspace(method, what, { workspace_uuid: uuid, ...input }, key);
const add = (file_path: string, content = 'x', more: object = {}) =>
  at('POST', 'file', { file_path, content, ...more });
const file = async (file_path: string, content = 'x') => (await add(file_path, content)).body.file;
const download = (key = target.apiKey) => {
  const ids = { project_id: target.projectId, bot_id: target.botId, workspace_uuid: uuid };
  return agent.service.fetch(
    new Request(`http://agent.test/v1/bot/workspace/download?${new URLSearchParams(ids)}`, {
      headers: { authorization: `Bearer ${key}` },
    }),
  );
};
const paths = async () =>
  (await at('GET', 'files', { per_page: 1_000 })).body.files.map(
    ({ file_path }: { file_path: string }) => file_path,
  );
/** Of the event loop. @returns what ends the count */
function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return () => {
    isOver = true;
    return turns;
  };
}
const codeOf = ({ status, body }: { status: number; body: { error: { code: string } } }) => [
  status,
  body.error.code,
];

describe('workspaces', () => {
  beforeEach(() => start());

  test('are of the dashboard or of a service, and listed by kind', async () => {
    const made = await workspace('POST', 'create', { name: 'Orders', description: 'What came in' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      success: true,
      workspace: {
        uuid: expect.any(String),
        name: 'Orders',
        description: 'What came in',
        kind: 'dashboard',
        is_default: false,
        created_at: '2031-03-01T12:00:00.000Z',
        updated_at: '2031-03-01T12:00:00.000Z',
      },
    });
    const service = await make({ purpose: 'service' });
    await agent.client.chat(question, { chat_id: 'c' });
    const kinds = async (kind?: string) =>
      (await workspace('GET', 'readall', { kind })).body.workspaces.map(({ kind }: { kind: string }) => kind);
    expect(await kinds()).toEqual(['service', 'dashboard', 'dashboard', 'dashboard']);
    expect(await kinds('service')).toEqual(['service']);
    expect(await kinds('conversation')).toEqual(['conversation']);
    expect(codeOf(await workspace('GET', 'readall', { kind: 'secret' }))).toEqual([
      400,
      'invalid_parameters',
    ]);
    expect((await workspace('DELETE', 'delete', { workspace_uuid: service })).status).toBe(200);
    expect(await kinds('service')).toEqual([]);
  });

  test('a conversation has one of its own, which goes with it (S223)', async () => {
    const ask = (chat_id: string, more: object = {}, key = target.apiKey) =>
      agent.clientOf(key).chat(question, { chat_id, purpose: 'service', ...more });
    const own = (await ask('a')).body.chat.workspace_uuid;
    expect((await ask('a')).body.chat.workspace_uuid).toBe(own);
    const others = (await ask('b')).body.chat.workspace_uuid;
    expect(others).not.toBe(own);
    // Another's own is nobody's to name.
    expect(codeOf(await ask('b', { workspace_uuid: own }))).toEqual([404, 'workspace_not_found']);
    const pinned = await make({ purpose: 'service' });
    expect((await ask('a', { workspace_uuid: pinned })).body.chat.workspace_uuid).toBe(pinned);
    await workspace('DELETE', 'delete', { workspace_uuid: pinned });
    expect((await ask('a')).body.chat.workspace_uuid).toBe(own);
    await agent.client.call('DELETE', '/v1/bot/chat/delete', { chat_id: 'a' });
    expect((await workspace('GET', 'readall', { kind: 'conversation' })).body.workspaces).toMatchObject([
      { uuid: others },
    ]);
  });

  test('of a conversation a member of the team is told nothing (S224)', async () => {
    const { body } = await agent.clientOf('member-key').chat(question, { chat_id: 'a' });
    expect(body.chat).not.toHaveProperty('workspace_uuid');
    const frames = await agent
      .clientOf('member-key')
      .streamAll('POST', '/v1/bot/chat', { message: question, chat_id: 'a', stream: true });
    expect(frames[0]).toMatchObject({ event: 'start', data: { chat_id: 'a' } });
    for (const { data } of frames) expect(JSON.stringify(data)).not.toContain('workspace');
  });
});

describe('files', () => {
  beforeEach(() => start());

  test('are made, read, changed and deleted, with their versions (S21, S153)', async () => {
    const made = await add('notes/herons.md', '# Herons\r\n\tgrüßen 🪶', { language: 'markdown' });
    expect(made.status).toBe(201);
    const record = {
      uuid: expect.any(String),
      file_path: '/notes/herons.md',
      language: 'markdown',
      version: 1,
      size_bytes: Buffer.byteLength('# Herons\r\n\tgrüßen 🪶'),
      last_edited_by: 'user',
      created_at: '2031-03-01T12:00:00.000Z',
      updated_at: '2031-03-01T12:00:00.000Z',
      content: '# Herons\r\n\tgrüßen 🪶',
    };
    expect(made.body).toEqual({ file: record });
    const { uuid: file_uuid } = made.body.file;
    agent.clock.now += 60_000;
    const changed = await at('PUT', 'file', { file_uuid, content: 'Two', version: 1 });
    const second = {
      ...record,
      version: 2,
      size_bytes: 3,
      content: 'Two',
      updated_at: '2031-03-01T12:01:00.000Z',
    };
    expect(changed.body).toEqual({ file: second });
    expect(codeOf(await at('PUT', 'file', { file_uuid, content: 'x', version: 1 }))).toEqual([
      409,
      'version_conflict',
    ]);
    expect((await at('GET', 'file', { file_path: 'notes/herons.md' })).body).toEqual({ file: second });
    expect((await at('GET', 'file', { file_uuid, version: '1' })).body.file).toMatchObject({
      version: 1,
      content: record.content,
      size_bytes: record.size_bytes,
    });
    expect(codeOf(await at('GET', 'file', { file_uuid, version: 3 }))).toEqual([404, 'version_not_found']);
    expect((await at('GET', 'file/versions', { file_uuid })).body).toEqual({
      versions: [
        { version: 2, size_bytes: 3, last_edited_by: 'user', created_at: '2031-03-01T12:01:00.000Z' },
        {
          version: 1,
          size_bytes: record.size_bytes,
          last_edited_by: 'user',
          created_at: '2031-03-01T12:00:00.000Z',
        },
      ],
    });
    expect((await workspace('GET', 'readall')).body.workspaces[0].updated_at).toBe(
      '2031-03-01T12:01:00.000Z',
    );
    const gone = await at('DELETE', 'file', { file_uuid });
    expect([gone.status, gone.body.success]).toEqual([200, true]);
    expect(codeOf(await at('GET', 'file', { file_uuid }))).toEqual([404, 'file_not_found']);
    expect(await paths()).toEqual([]);
  });

  test('are listed by path, a hundred a page and a thousand at most', async () => {
    for (const path of ['b', 'a/z', 'a/b', 'B', 'ä']) await add(path);
    const listed = await at('GET', 'files');
    expect(listed.body.pagination).toEqual({ page: 1, per_page: 100, total: 5, total_pages: 1 });
    expect(listed.body.files[0]).not.toHaveProperty('content');
    expect(await paths()).toEqual(['/B', '/a/b', '/a/z', '/b', '/ä']);
    expect((await at('GET', 'files', { per_page: 5_000 })).body.pagination.per_page).toBe(1_000);
    expect((await at('GET', 'files', { page: 2, per_page: 4 })).body.files).toMatchObject([
      { file_path: '/ä' },
    ]);
  });

  test.each([
    ['', '/', '//a', 'a/', 'a//b'],
    ['.', '..', 'a/../b', '/../etc/passwd', './a', 'a/.'],
    ['a\\b', '..\\a', 'a\nb', 'a\u007fb', 'a\u0085b', '\ud800'],
    ['x'.repeat(500), `${'x/'.repeat(250)}x`],
  ])('no path leads out of it: %j', async (...bad) => {
    for (const path of bad)
      expect([path, ...codeOf(await add(path))]).toEqual([path, 400, 'invalid_parameters']);
    const { uuid: file_uuid, file_path: old_path } = await file('mine');
    for (const new_path of bad)
      expect((await at('PUT', 'file/rename', { old_path, new_path })).status).toBe(400);
    expect((await at('GET', 'file', { file_uuid })).body.file.file_path).toBe('/mine');
  });

  test.each(['...', '%2e%2e', 'a b', '~', 'x'.repeat(499), 'con', '-rf', "a'; DROP TABLE files; --", '*'])(
    '%s is a name as any',
    async (name) => {
      expect((await add(name)).status).toBe(201);
      expect(await paths()).toEqual([`/${name}`]);
      expect((await at('GET', 'file', { file_path: name })).body.file.content).toBe('x');
    },
  );

  test('nothing is a file and a folder at once, nor there twice', async () => {
    await add('a/b');
    for (const path of ['a/b', 'a', 'a/b/c', 'a/b/c/d'])
      expect(codeOf(await add(path))).toEqual([409, 'file_exists']);
    await add('c');
    for (const new_path of ['a/b', 'a', 'a/b/c', 'c/d'])
      expect(codeOf(await at('PUT', 'file/rename', { old_path: 'c', new_path }))).toEqual([
        409,
        'file_exists',
      ]);
    expect(await paths()).toEqual(['/a/b', '/c']);
  });

  test('are renamed, alone or with their folder', async () => {
    for (const path of ['ü/a', 'ü/deep/b', 'ü.txt', 'other/a']) await add(path, path);
    const one = await at('PUT', 'file/rename', { old_path: 'ü.txt', new_path: 'u.txt' });
    expect(one.body.file).toMatchObject({ file_path: '/u.txt', version: 1 });
    const folder = await at('PUT', 'file/rename', { old_path: 'ü', new_path: 'new/place', is_folder: true });
    expect(folder.body.files).toMatchObject([
      { file_path: '/new/place/a' },
      { file_path: '/new/place/deep/b' },
    ]);
    expect(await paths()).toEqual(['/new/place/a', '/new/place/deep/b', '/other/a', '/u.txt']);
    expect((await at('GET', 'file', { file_path: 'new/place/deep/b' })).body.file.content).toBe('ü/deep/b');
    const rename = async (old_path: string, new_path: string, is_folder = true) =>
      codeOf(await at('PUT', 'file/rename', { old_path, new_path, is_folder }));
    expect(await rename('new', 'other')).toEqual([409, 'file_exists']);
    expect(await rename('new', 'new/again')).toEqual([400, 'invalid_parameters']);
    expect(await rename('new', 'x'.repeat(490))).toEqual([400, 'invalid_parameters']);
    expect(await rename('nowhere', 'b')).toEqual([404, 'file_not_found']);
    expect(await rename('new', 'b', false)).toEqual([404, 'file_not_found']);
    expect(await paths()).toHaveLength(4);
  });

  test('of a file a hundred versions are kept', async () => {
    const { uuid: file_uuid } = await file('a', '0');
    for (let n = 1; n <= 101; n += 1) await at('PUT', 'file', { file_uuid, content: String(n) });
    const { versions } = (await at('GET', 'file/versions', { file_uuid })).body;
    expect([versions.length, versions[0].version, versions.at(-1).version]).toEqual([100, 102, 3]);
    expect(codeOf(await at('GET', 'file', { file_uuid, version: 2 }))).toEqual([404, 'version_not_found']);
    expect((await at('GET', 'file', { file_uuid, version: 3 })).body.file.content).toBe('2');
  });

  test('come as a ZIP archive, with paths that stay in it', async () => {
    await add('a/b.txt', 'Grüße '.repeat(10_000));
    await add('c', '');
    const response = await download();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const unpacked = Object.entries(unzipSync(bytes)).map(([name, content]) => [
      name,
      Buffer.from(content).toString(),
    ]);
    expect(unpacked).toEqual([
      ['a/b.txt', 'Grüße '.repeat(10_000)],
      ['c', ''],
    ]);
    expect(bytes.length).toBeLessThan(5_000);
  });

  test('of a workspace that is deleted meanwhile make no archive that passes for a whole one', async () => {
    for (let n = 0; n < 60; n += 1) await add(`f${n}`, randomBytes(20_000).toString('hex'));
    const reader = (await download()).body!.getReader();
    await reader.read();
    expect((await at('DELETE', 'delete')).status).toBe(200);
    const readOn = async () => {
      while (!(await reader.read()).done);
    };
    await expect(readOn()).rejects.toMatchObject({ code: 'workspace_not_found' });
  });

  test('are packed so that others have their turn between', async () => {
    const files = Array.from({ length: 2_000 }, (_, n) => ({ path: `/f${n}`, version: 1, updated_at: 1e12 }));
    const store = {
      after: (_: string, path: string, most: number) => {
        const next = files.findIndex((one) => one.path === path) + 1;
        return files.slice(next, next + most);
      },
      content: () => Buffer.from('x'),
    } as unknown as FileStore;
    const endTurns = countTurns();
    let bytes = 0;
    for await (const piece of toZip(store, uuid, () => {})) bytes += piece.length;
    expect(endTurns()).toBeGreaterThan(30);
    expect(bytes).toBeGreaterThan(100_000);
  });

  test('piece by piece, of a moment that ZIP knows', async () => {
    const content = randomBytes(8 * 1024 * 1024);
    const file = { path: '/large', version: 1, updated_at: Date.UTC(2150, 0, 1) };
    const store = {
      after: (_: string, path: string) => (path === '' ? [file] : []),
      content: () => content,
    } as unknown as FileStore;
    const endTurns = countTurns();
    const pieces: Uint8Array[] = [];
    for await (const piece of toZip(store, uuid, () => {})) pieces.push(piece);
    expect(endTurns()).toBeGreaterThan(50);
    expect(Buffer.from(unzipSync(Buffer.concat(pieces)).large!).equals(content)).toBe(true);
  });

  test('are read by all of the project, made by owners and admins, and nobody else’s', async () => {
    const { uuid: file_uuid } = await file('a');
    for (const key of ['moderator-key', 'member-key']) {
      expect((await download(key)).status).toBe(200);
      for (const what of ['files', 'file', 'file/versions'])
        expect([what, (await at('GET', what, { file_uuid }, key)).status]).toEqual([what, 200]);
      for (const [method, what] of [
        ['POST', 'file'],
        ['PUT', 'file'],
        ['PUT', 'file/rename'],
        ['DELETE', 'file'],
      ] as const) {
        const input = { file_uuid, file_path: 'b', content: 'x', old_path: 'a', new_path: 'b' };
        expect(codeOf(await at(method, what, input, key))).toEqual([403, 'forbidden']);
      }
    }
    expect((await at('PUT', 'file', { file_uuid, content: 'y' }, 'admin-key')).status).toBe(200);
    expect(codeOf(await at('GET', 'files', {}, 'other-key'))).toEqual([403, 'forbidden']);
    expect(codeOf(await at('GET', 'files', {}, null))).toEqual([401, 'invalid_api_key']);
    // Another agent of the same project.
    const { body } = await agent.client.call('POST', '/v1/bot/create', { name: 'Second' });
    for (const [method, what] of [
      ['GET', 'files'],
      ['GET', 'download'],
      ['DELETE', 'delete'],
    ] as const)
      expect(codeOf(await at(method, what, { bot_id: body.bot.uuid }))).toEqual([404, 'workspace_not_found']);
    const elsewhere = await make();
    expect(codeOf(await at('GET', 'file', { file_uuid, workspace_uuid: elsewhere }))).toEqual([
      404,
      'file_not_found',
    ]);
  });
});

test('a conversation that is pinned to what another agent had goes on without it', async () => {
  await start();
  const { bot } = (await agent.client.call('POST', '/v1/bot/create', { name: 'Second' })).body;
  const workspace_uuid = await make({ bot_id: bot.uuid, purpose: 'service' });
  const pinned = { purpose: 'service', workspace_uuid, chat_id: 'c' };
  const { chat } = (await agent.client.chat(question, pinned)).body;
  expect(chat.workspace_uuid).toBe(workspace_uuid);
  await agent.client.call('DELETE', '/v1/bot/delete', { bot_id: bot.uuid });
  const attachments = [{ name: 'a', mime_type: 'text/plain', size: 1, data: 'eA==' }];
  const { status, body } = await agent.client.chat(question, {
    purpose: 'service',
    chat_id: 'c',
    attachments,
  });
  expect([status, body.chat.workspace_uuid]).toEqual([200, expect.not.stringMatching(workspace_uuid)]);
});

test('a plan has so many files a workspace, under creates at once too', async () => {
  await start({ plan: 'starter', requestsPerMinute: 1_000 });
  const made = await Promise.all(Array.from({ length: 205 }, (_, n) => add(`f${n}`)));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(200);
  expect(codeOf(made.find(({ status }) => status !== 201)!)).toEqual([403, 'plan_limit_reached']);
});

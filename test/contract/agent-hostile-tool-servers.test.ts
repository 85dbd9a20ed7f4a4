/** Tool servers that are slow, huge, lying, redirecting or changing: nothing leaks, nothing hangs. */

import type { ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import { createToolServerClient } from '../../demo/agent/toolservers/client.ts';
import type { ServerPlace } from '../../demo/agent/toolservers/connection.ts';
import { withoutSecrets } from '../../demo/agent/toolservers/said.ts';
import { listen, startToolServer, toTool } from '../support/toolserver.ts';

const client = createToolServerClient();
const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(running.splice(0).map((one) => one.close()));
});

const secret = 'Bearer shelf-secret-1';
const toPlace = (server_url: string, transport: ServerPlace['transport'] = 'http'): ServerPlace => ({
  server_url,
  transport,
  headers: { authorization: secret },
});

type Message = { id?: number | string; method?: string };
/** @returns what each request is answered with by `handle` */
async function lie(handle: (message: Message, response: ServerResponse, method: string) => unknown) {
  const asked: { message: Message; authorization: string | undefined }[] = [];
  const server = await listen(async (request, response) => {
    const text = await readText(request);
    const message: Message = text === '' ? {} : JSON.parse(text);
    asked.push({ message, authorization: request.headers.authorization });
    await handle(message, response, request.method ?? '');
  });
  running.push(server);
  return { ...server, asked };
}
const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
};
/** Behaves until it is asked for `method`. */
const lieAbout = (
  method: string,
  handle: (id: Message['id'], response: ServerResponse, message: Message) => unknown,
) =>
  lie((message, response, verb) => {
    const { id } = message;
    if (verb !== 'POST') return response.writeHead(405).end();
    if (message.method === method) return handle(id, response, message);
    if (message.method === 'initialize') return json(response, { jsonrpc: '2.0', id, result: initialized });
    if (id === undefined) return response.writeHead(202).end();
    return json(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  });
const lieInResult = (method: string, result: unknown) =>
  lieAbout(method, (id, response) => json(response, { jsonrpc: '2.0', id, result }));

const list = (url: string, transport?: ServerPlace['transport']) => client.list(toPlace(url, transport));
const callIt = (url: string, signal = new AbortController().signal) =>
  client.call(toPlace(url), 'count', {}, signal);

test.each([
  [
    'a page',
    'The tool server does not answer as one.',
    (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
  ],
  ['401', 'The tool server answered 401.', (response: ServerResponse) => response.writeHead(401).end(secret)],
  ['500', 'The tool server answered 500.', (response: ServerResponse) => response.writeHead(500).end(secret)],
  [
    'no JSON',
    'The tool server does not answer as one.',
    (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
  ],
  [
    'an end in the middle',
    'The tool server could not be reached.',
    (response: ServerResponse) => response.destroy(),
  ],
] as const)('a server that answers %s is told as it is, in words of our own', async (_, reason, answer) => {
  const { url } = await lie((_message, response) => answer(response));
  await expect(list(url)).rejects.toThrow(reason);
  expect(await callIt(url)).toEqual({ ok: false, result: { error: reason } });
});

test.each(['http', 'sse'] as const)(
  'a redirect is not followed, and no secret goes there (%s)',
  async (transport) => {
    const elsewhere = await lie((_message, response) => response.writeHead(200).end());
    const { url } = await lie((_message, response) =>
      response.writeHead(307, { location: elsewhere.url }).end(),
    );
    await expect(list(url, transport)).rejects.toThrow('redirects');
    expect(elsewhere.asked).toEqual([]);
  },
);

test('what a stream names as the place for questions is asked at the same server alone', async () => {
  const elsewhere = await lie((_message, response) => response.writeHead(200).end());
  const { url } = await lie((_message, response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(`event: endpoint\ndata: ${elsewhere.url}\n\n`),
  );
  await expect(list(url, 'sse')).rejects.toThrow('does not answer as one');
  expect(elsewhere.asked).toEqual([]);
});

const overTime = async (ms: number, asked: () => number, work: () => Promise<unknown>) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const done = work();
  done.catch(() => {});
  const reached = asked();
  while (asked() === reached) await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(ms - 1);
  vi.advanceTimersByTime(1);
  return done;
};

test.each(['http', 'sse'] as const)(
  'a server that never answers is waited for 10 s (%s)',
  async (transport) => {
    const server = await lie(() => {});
    const listed = overTime(
      10_000,
      () => server.asked.length,
      () => list(server.url, transport),
    );
    await expect(listed).rejects.toThrow('did not answer within 10 s');
  },
);

test('a call ends after 30 s, however much comes in drops', async () => {
  const dropping = new Set<NodeJS.Timeout>();
  const server = await lieAbout('tools/call', (_id, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    dropping.add(setInterval(() => response.write(': drop\n\n'), 10));
  });
  const calls = () => server.asked.filter(({ message }) => message.method === 'tools/call').length;
  expect(await overTime(30_000, calls, () => callIt(server.url))).toEqual({
    ok: false,
    result: { error: 'The tool server did not answer within 30 s.' },
  });
  for (const one of dropping) clearInterval(one);
});

test('a turn that is stopped does not wait for the server', async () => {
  const stop = new AbortController();
  const server = await lieAbout('tools/call', () => stop.abort(new Error('stopped')));
  await expect(callIt(server.url, stop.signal)).rejects.toThrow('stopped');
});

test('what is asked when the service ends is given up', async () => {
  const ending = createToolServerClient();
  const server = await lieAbout('tools/list', () => ending.close());
  await expect(ending.list(toPlace(server.url))).rejects.toThrow('The service ends.');
});

test.each(['application/json', 'text/event-stream'])(
  'an answer without an end is cut off (%s)',
  async (type) => {
    let sent = 0;
    const { url } = await lieAbout('tools/call', (_id, response) => {
      response.writeHead(200, { 'content-type': type });
      const more = () => {
        while (!response.destroyed && sent < 200e6) {
          sent += 65_536;
          if (!response.write('x'.repeat(65_536))) return response.once('drain', more);
        }
        return response.end();
      };
      return more();
    });
    expect(await callIt(url)).toEqual({
      ok: false,
      result: { error: "The tool's reply is larger than 2097152 bytes." },
    });
    expect(sent).toBeLessThan(50e6);
  },
);

test('a server that asks and asks is not answered for ever', async () => {
  const { url, asked } = await lieAbout('tools/call', (_id, response) => {
    const ping = (id: number) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n\n`;
    const pings = Array.from({ length: 2_000 }, (_, at) => ping(at));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(pings.join(''));
  });
  expect(await callIt(url)).toEqual({ ok: false, result: { error: 'The tool server asks too much.' } });
  expect(asked.length).toBeLessThan(110);
});

test('a result that is larger than a model could read is an error', async () => {
  const { url } = await lieInResult('tools/call', { content: [{ type: 'text', text: 'x'.repeat(70_000) }] });
  expect(await callIt(url)).toEqual({
    ok: false,
    result: { error: "The tool's reply is larger than 65536 bytes." },
  });
});

test.each([
  ['no content', {}],
  ['content that is none', { content: 'x' }],
  ['a question back', { resultType: 'input_required', inputRequests: {} }],
  ['nothing', null],
])('a result that is %s is an error or nothing, and the turn goes on', async (_, result) => {
  const { url } = await lieInResult('tools/call', result);
  const outcome = await callIt(url);
  expect(outcome.ok ? outcome.result : outcome.result).toEqual(
    outcome.ok ? '' : { error: 'The tool server does not answer as one.' },
  );
});

test('a server that asks something itself is told no', async () => {
  const answered: unknown[] = [];
  const { url } = await lie((message, response, verb) => {
    const { id, method } = message;
    if (verb !== 'POST') return response.writeHead(405).end();
    if (method === 'initialize') return json(response, { jsonrpc: '2.0', id, result: initialized });
    if (method === 'tools/call') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const ask = {
        jsonrpc: '2.0',
        id: 'q',
        method: 'sampling/createMessage',
        params: { messages: [], maxTokens: 9 },
      };
      const result = { content: [{ type: 'text', text: 'four' }] };
      response.write(`data: ${JSON.stringify(ask)}\n\n`);
      return setTimeout(
        () => response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`),
        100,
      );
    }
    if (method === undefined) answered.push(message);
    return id === undefined || method === undefined
      ? response.writeHead(202).end()
      : json(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  });
  expect(await callIt(url)).toEqual({ ok: true, result: 'four' });
  expect(answered).toMatchObject([{ id: 'q', error: { code: -32601 } }]);
});

test('what it offers is taken within bounds', async () => {
  const object = { type: 'object' as const };
  const tools = [
    { name: 'count', description: 'x'.repeat(100_000), inputSchema: object },
    { name: 'count', description: 'The second of that name.', inputSchema: object },
    { name: '', inputSchema: object },
    { name: 'no schema' },
    { name: 'odd', description: null, inputSchema: object },
    { name: 'list', inputSchema: { type: 'array' } },
    'no tool',
    { name: 'x'.repeat(200), inputSchema: object },
    { name: 'large', inputSchema: { ...object, properties: { a: { description: 'x'.repeat(20_000) } } } },
    { name: '__proto__', inputSchema: object },
    { name: 'two words\u202e', title: 't'.repeat(1000), inputSchema: object },
    ...Array.from({ length: 300 }, (_, index) => ({ name: `more_${index}`, inputSchema: object })),
  ];
  const { url } = await lieInResult('tools/list', { tools });
  const { tools: kept, leftOut } = await list(url);
  expect([kept.length, leftOut]).toEqual([100, 211]);
  expect(kept.map(({ name }) => name).slice(0, 3)).toEqual(['count', '__proto__', 'two words\u202e']);
  expect(
    kept
      .map(({ title, description }) => Math.max(title.length, description.length))
      .sort()
      .at(-1),
  ).toBeLessThan(2_001);
});

test('of tools that are long together those are taken that there is room for', async () => {
  const long = (name: string, chars: number) =>
    toTool(name, { description: '', inputSchema: { type: 'object', title: 'x'.repeat(chars) } });
  const tools = [...Array.from({ length: 40 }, (_, n) => long(`long_${n}`, 15_000)), long('short', 10)];
  const { url } = await lieInResult('tools/list', { tools });
  const { tools: kept, leftOut } = await list(url);
  expect(JSON.stringify(kept).length).toBeLessThan(262_144);
  expect([kept.length, leftOut, kept.at(-1)!.name]).toEqual([18, 23, 'short']);
});

test('one that is too deep to be read takes no other with it', async () => {
  const deep = `${'['.repeat(6_000)}${']'.repeat(6_000)}`;
  const tools = `[{"name":"count","inputSchema":{"type":"object"}},{"name":"deep","inputSchema":{"type":"object","a":${deep}}}]`;
  const { url } = await lieAbout('tools/list', (id, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":${tools}}}`),
  );
  const { tools: kept, leftOut } = await list(url);
  expect([kept.map(({ name }) => name), leftOut]).toEqual([['count'], 1]);
});

test('a stream that ends is opened once', async () => {
  const { url, asked } = await lie((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end('retry: 0\nevent: endpoint\ndata: /mcp\n\n'),
  );
  await expect(list(url, 'sse')).rejects.toThrow('The tool server ended its stream.');
  expect(asked.filter(({ message }) => message.method === undefined)).toHaveLength(1);
});

test('pages without an end are turned ten times', async () => {
  let pages = 0;
  const { url } = await lieAbout('tools/list', (id, response) => {
    pages += 1;
    json(response, {
      jsonrpc: '2.0',
      id,
      result: { tools: [toTool(`t${pages}`)], nextCursor: String(pages) },
    });
  });
  await expect(list(url)).rejects.toThrow('more than 10 pages');
  expect(pages).toBe(10);
});

test('a schema that would take for ever to check is checked by nobody', async () => {
  const evil = { type: 'object' as const, properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  const server = await startToolServer('modern', [toTool('count', { outputSchema: evil })], () => ({
    content: [],
    structuredContent: { a: `${'a'.repeat(40)}!` },
  }));
  running.push(server);
  await list(server.url);
  expect(await callIt(server.url)).toMatchObject({ ok: true });
});

test('what is refused by the protocol is told with what the server says of it', async () => {
  const refuse = (message: string) =>
    lieAbout('tools/call', (id, response) =>
      json(response, { jsonrpc: '2.0', id, error: { code: -32602, message } }),
    );
  const { url } = await refuse(`date: YYYY-MM-DD is needed, not ${secret}`);
  expect(await callIt(url)).toEqual({
    ok: false,
    result: {
      error: 'The tool server refuses this (-32602).',
      said: expect.stringContaining('date: YYYY-MM-DD is needed, not ***'),
    },
  });
  const long = await refuse('x'.repeat(100_000));
  expect(JSON.stringify(await callIt(long.url)).length).toBeLessThan(1_200);
});

test('of a list without an end the first five hundred are looked at, and others have the loop', async () => {
  const unusable = toTool('x'.repeat(200));
  const tooMany = [
    ...Array.from({ length: 499 }, () => unusable),
    toTool('last_looked_at'),
    ...Array.from({ length: 2_000 }, (_, n) => toTool(`t${n}`)),
  ];
  const server = await startToolServer('modern', tooMany, () => ({ content: [] }));
  running.push(server);
  const { tools, leftOut } = await list(server.url);
  expect([tools.map(({ name }) => name), leftOut]).toEqual([['last_looked_at'], 2_499]);
});

test('headers that choose something change no name', async () => {
  const tools = [toTool('get_contents'), toTool('list_notifications')];
  const server = await startToolServer('modern', tools, () => ({ content: [] }));
  running.push(server);
  const place: ServerPlace = {
    ...toPlace(server.url),
    headers: { 'x-tools': 'get_contents', 'x-toolsets': 'notifications', 'x-api-key': 'abcdefgh' },
  };
  expect((await client.list(place)).tools.map(({ name }) => name)).toEqual([
    'get_contents',
    'list_notifications',
  ]);
  // One that is called like a secret is offered to nobody, nor one whose schema holds one.
  const quoted = 'abc"\\defghi';
  const inputSchema = { type: 'object' as const, properties: { of: { const: quoted } } };
  const schemed = await startToolServer('modern', [toTool('count', { inputSchema })], () => ({
    content: [],
  }));
  running.push(schemed);
  const headers = { 'x-api-key': quoted };
  expect(await client.list({ ...toPlace(schemed.url), headers })).toEqual({ tools: [], leftOut: 1 });
  const named = await startToolServer('modern', [toTool('get_abcdefgh')], () => ({ content: [] }));
  running.push(named);
  expect(await client.list({ ...place, server_url: named.url })).toEqual({ tools: [], leftOut: 1 });
});

test.each([
  [{ authorization: 'Bearer abcdefghij12345 ' }, 'Bearer abcdefghij12345 or abcdefghij12345', '*** or ***'],
  [{ authorization: 'Bearer abcdefgh', 'x-api-key': 'abcdefghTAIL' }, 'abcdefghTAIL abcdefgh', '*** ***'],
  [{ cookie: 'sid=abcdefghij12345; lang=english1' }, 'abcdefghij12345, english1', '***, ***'],
  [{ authorization: 'Bearer a=bcdefgh' }, 'Bearer is a word', 'Bearer is a word'],
  [{ 'x-api-key': '123456789012' }, { key: 123456789012, count: 1234 }, { key: '***', count: 1234 }],
  [{ authorization: `Basic ${btoa('ada:hunter2-long')}` }, 'ada:hunter2-long, hunter2-long', '***, ***'],
  [
    { 'x-api-key': 'abc/"\\defghi' },
    String.raw`abc/"\defghi {"as JSON": "abc/\"\\defghi"} {"of PHP": "abc\/\"\\defghi"} ?key=abc%2F%22%5Cdefghi`,
    '*** {"as JSON": "***"} {"of PHP": "***"} ?key=***',
  ],
  [
    { 'x-api-key': 'q8+Zk3/abcd&1234==' },
    String.raw`q8\u002BZk3/abcd\u00261234\u003D= q8%2bZk3%2fabcd%261234%3d%3d {\"q8+Zk3\\/abcd&amp;1234==\"}`,
    String.raw`*** *** {\"***\"}`,
  ],
  [
    { 'x-api-key': 'grüße, welt' },
    String.raw`gr\u00fc\u00dfe, welt gr%C3%BC%c3%9fe%2C+welt grüße, welt`,
    '*** *** ***',
  ],
  [
    { 'x-api-key': 'a*b(c)d.e[f]' },
    'a*b(c)d.e[f] a%2Ab%28c%29d.e%5Bf%5D aab(c)d.e[f]',
    '*** *** aab(c)d.e[f]',
  ],
  [
    { 'x-api-key': 'a/b+c=\'d"efgh' },
    'a/b+c&#x3D;&#039;d&quot;efgh a&#x2F;b&#43;c=&apos;d&#34;efgh a%5C%2Fb%2Bc%3D%27d%5C%22efgh',
    '*** *** ***',
  ],
])('of %j nothing is said again', (headers, said, expected) => {
  expect(withoutSecrets({ ...toPlace('http://x'), headers }, said)).toEqual(expected);
});

test('a secret of many signs is looked for in no time, whatever a server says', () => {
  const headers = { 'x-api-key': `a${'\\'.repeat(60)}b${'='.repeat(60)}`, cookie: 'a/b&c d'.repeat(500) };
  const said = ['\\', '=', 'a/b&c d', '%5C', '\\u005c'].map((text) => `a${text.repeat(8_000)}`);
  // Tried in all ways it would not end.
  const struck = withoutSecrets({ ...toPlace('http://x'), headers }, [...said, `${headers['x-api-key']}!`]);
  expect(struck.at(-1)).toBe('***!');
  expect(struck[0]).toBe(said[0]);
  const many = '\\'.repeat(100_000);
  const begun = { ...toPlace('http://x'), headers: { 'x-api-key': `${'\\/'.repeat(20)}z-secret` } };
  expect(withoutSecrets(begun, [many, `${many}/${'\\/'.repeat(19)}z-secret`])).toEqual([many, '***']);
});

test('a secret that is said again and again is cut nowhere so that its beginning shows', async () => {
  const long = 'sk-live-abcdefghijklmnopqrstuvwxyz0123456';
  const headers = { authorization: `Bearer ${long}` };
  // Struck out it leaves room for what comes after, up to the place where the whole was cut.
  const said = Array.from({ length: 60 }, (_, n) => 'x'.repeat(1_500 + n) + long.repeat(300));
  const tools = said.map((description, n) => toTool(`t${n}`, { description }));
  const server = await startToolServer('modern', tools, () => ({ content: [] }));
  running.push(server);
  const { tools: kept } = await client.list({ ...toPlace(server.url), headers });
  expect(kept).toHaveLength(60);
  for (const { description } of kept) expect(description).toMatch(/^x+\*+$/);
});

test('a secret that is written otherwise is not cut so that its beginning shows', async () => {
  const headers = { 'x-api-key': 'abcdefghi/jk+lmn'.repeat(240) };
  const description = `${'y'.repeat(1_900)}${encodeURIComponent(headers['x-api-key'])}`;
  const server = await startToolServer('modern', [toTool('t', { description })], () => ({ content: [] }));
  running.push(server);
  const { tools } = await client.list({ ...toPlace(server.url), headers });
  expect(tools[0]?.description).toBe(`${'y'.repeat(1_900)}***`);
});

test('a server that says again what it was sent tells the model nothing of it', async () => {
  const server = await startToolServer(
    'modern',
    [
      toTool('count', { description: `Sent with ${secret}.` }),
      // Cut before, a secret would not be known as one, and half a character is none.
      toTool('sum', { description: '', title: `${'a'.repeat(120)}${secret}` }),
      toTool('face', { description: `${'a'.repeat(1_999)}\u{1F600}` }),
    ],
    () => ({ content: [{ type: 'text', text: `You sent ${secret}, or shelf-secret-1.` }] }),
  );
  running.push(server);
  const [count, sum, face] = (await list(server.url)).tools;
  expect(count!.description).toBe('Sent with ***.');
  expect(sum!.title).toBe(`${'a'.repeat(120)}***`);
  expect(face!.description.slice(-2)).toBe('a\ufffd');
  expect(await callIt(server.url)).toEqual({ ok: true, result: 'You sent ***, or ***.' });
  expect(server.asked[0]!.headers.authorization).toBe(secret);
  const keyed = await startToolServer('modern', [toTool('count')], () => ({
    content: [],
    structuredContent: { [secret]: { 'the shelf-secret-1': [secret] } },
  }));
  running.push(keyed);
  expect(await callIt(keyed.url)).toEqual({ ok: true, result: { '***': { 'the ***': ['***'] } } });
});

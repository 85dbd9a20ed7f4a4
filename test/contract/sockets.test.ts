/** The helper's own connections to the agent: kept, cut, abandoned, late, encrypted; an answer is whole or told as broken. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { createServer as createTlsFront } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSocketDispatch } from '../../server-helper/agent/dispatch-sockets.ts';
import { AgentUntaken, toCallError } from '../../server-helper/agent/failure.ts';
import { toReason } from '../../server-helper/agent/unreachable.ts';
import { startFakeAgent } from '../support/fake-agent.ts';
import { pause, startHelper, until } from '../support/helper-process.ts';
import { createVisitor, makeQuestion } from '../support/visitor.ts';

const sockets = createSocketDispatch();
const servers: Server[] = [];
const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server, protocol = 'http', host = '127.0.0.1'): Promise<URL> {
  servers.push(server);
  server.on('connection', (socket: Socket) => open.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return new URL(`${protocol}://${host}:${(server.address() as AddressInfo).port}/a?b=c`);
}
const serve = (listener: RequestListener) => listen(createServer(listener));
/** Says these words to each request, as they are. */
const say = (...answers: string[]) =>
  listen(
    createTcpServer((socket) => {
      let asked = 0;
      socket.on('data', () => {
        socket.write(answers[Math.min(asked, answers.length - 1)] ?? '');
        asked += 1;
      });
    }),
  );

type Seen = { status?: number; body: string; ends: number; errors: unknown[] };
type Options = {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
  dispatch?: typeof sockets.dispatch;
};
function ask(url: URL, { method = 'GET', body, headers = {}, dispatch = sockets.dispatch }: Options = {}) {
  const seen: Seen = { body: '', ends: 0, errors: [] };
  let settle: (seen: Seen) => void;
  const over = new Promise<Seen>((resolve) => {
    settle = resolve;
  });
  const sent = dispatch(
    { method, url, headers, body },
    {
      onStart: (status) => void Object.assign(seen, { status }),
      onData: (bytes) => {
        seen.body += Buffer.from(bytes).toString('latin1');
      },
      onEnd() {
        seen.ends += 1;
        settle(seen);
      },
      onError(cause) {
        seen.errors.push(cause);
        settle(seen);
      },
    },
  );
  return { seen, over, abort: () => sent.abort() };
}
const isGood = ({ status, ends, errors }: Seen) => status === 200 && ends === 1 && errors.length === 0;
const ok = (body: string, ...headers: string[]) =>
  ['HTTP/1.1 200 OK', `content-length: ${body.length}`, ...headers, '', body].join('\r\n');

test('what is asked arrives as it was meant', async () => {
  const asked: unknown[] = [];
  const url = await serve(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const { authorization, host, 'content-length': length } = request.headers;
    asked.push([request.method, request.url, authorization, host, length, text]);
    response.end();
  });
  const headers = { authorization: 'Bearer é' };
  expect(isGood(await ask(url, { method: 'POST', body: '{"a":"é"}', headers }).over)).toBe(true);
  await ask(url, { method: 'DELETE', headers }).over;
  await ask(url).over;
  expect(asked).toEqual([
    ['POST', '/a?b=c', 'Bearer é', url.host, '10', '{"a":"é"}'],
    ['DELETE', '/a?b=c', 'Bearer é', url.host, '0', ''],
    ['GET', '/a?b=c', undefined, url.host, undefined, ''],
  ]);
  expect(() => ask(url, { headers: { authorization: 'a\r\nx: b' } })).toThrow(TypeError);
});

describe('a connection', () => {
  const count = async (answer: string) => {
    const connections = open.length;
    const url = await say(answer);
    for (let n = 0; n < 3; n += 1) {
      expect(isGood(await ask(url).over)).toBe(true);
      await pause(20);
    }
    return open.length - connections;
  };
  test('is kept for the next question', async () => {
    expect(await count(ok('a'))).toBe(1);
    expect(await count('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n')).toBe(1);
  });
  test.each([
    ['that its owner will close', ok('a', 'connection: close')],
    ['that its owner closes in a moment', ok('a', 'keep-alive: timeout=1')],
    ['on which more was said than was asked', ok('a') + ok('b')],
    ['of HTTP/1.0', ok('a').replace('1.1', '1.0')],
  ])('%s is used once', async (_, answer) => {
    expect(await count(answer)).toBe(3);
  });
  test('on which something is said unasked is used no more', async () => {
    const url = await say(ok('a'));
    await ask(url).over;
    open.at(-1)?.write(ok('not asked'));
    await pause(30);
    const { body } = await ask(url).over;
    expect([body, open.length]).toEqual(['a', 2]);
  });
  test('that was answered before all was sent is used once', async () => {
    const url = await serve((request, response) => {
      if (request.method === 'GET') return response.end('a');
      return response.writeHead(413).end('too large');
    });
    const { status, body } = await ask(url, { method: 'POST', body: 'x'.repeat(20_000_000) }).over;
    expect([status, body]).toEqual([413, 'too large']);
    expect((await ask(url).over).body).toBe('a');
  });
  test('is one a question, however many there are', async () => {
    const url = await serve((_, response) => void setTimeout(() => response.end('a'), 50));
    const all = await Promise.all(Array.from({ length: 30 }, () => ask(url).over));
    expect([all.every(isGood), open.length]).toEqual([true, 30]);
  });
});

describe('an agent that closes a connection which rested just as it is used', () => {
  const closeAtSecond = (asked: string[]) =>
    listen(
      createTcpServer((socket) => {
        let isSecond = false;
        socket.on('data', (bytes) => {
          asked.push(bytes.toString('latin1').split(' ')[0] ?? '');
          if (isSecond) return socket.destroy();
          isSecond = true;
          return socket.write(ok('a'));
        });
      }),
    );
  test('is asked once more by what only reads', async () => {
    const asked: string[] = [];
    const url = await closeAtSecond(asked);
    await ask(url).over;
    expect(isGood(await ask(url).over)).toBe(true);
    expect(asked).toEqual(['GET', 'GET', 'GET']);
  });
  test('is not told anything twice', async () => {
    const asked: string[] = [];
    const url = await closeAtSecond(asked);
    await ask(url).over;
    const { ends, errors } = await ask(url, { method: 'POST', body: '{}' }).over;
    expect([ends, errors.length, asked]).toEqual([0, 1, ['GET', 'POST']]);
  });
  test('is not asked for ever', async () => {
    const asked: string[] = [];
    let isFirst = true;
    const url = await listen(
      createTcpServer((socket) => {
        socket.on('data', () => {
          asked.push('GET');
          if (isFirst) socket.write(ok('a'));
          else socket.destroy();
          isFirst = false;
        });
      }),
    );
    await ask(url).over;
    const { errors } = await ask(url).over;
    expect([errors.length, asked.length]).toEqual([1, 3]);
  });
});

describe('an answer that is not wanted any more', () => {
  test.each(['before it began', 'in its middle', 'from within'])(
    '%s ends at once, and the agent sees it',
    async (when) => {
      let isClosed = false;
      const url = await serve((request, response) => {
        request.socket.on('close', () => {
          isClosed = true;
        });
        if (when !== 'before it began') response.write('a');
      });
      const asked = ask(url);
      if (when === 'from within') {
        const errors: unknown[] = [];
        const sent = sockets.dispatch(
          { method: 'GET', url, headers: {}, body: undefined },
          {
            onStart() {},
            onData: () => sent.abort(),
            onEnd: () => errors.push('ended'),
            onError: (cause) => errors.push(cause),
          },
        );
        await until(() => errors.length > 0, 'it is over');
        expect(errors).toEqual([undefined]);
      } else
        await until(
          () => open.length > 0 && (when !== 'in its middle' || asked.seen.body === 'a'),
          'it runs',
        );
      asked.abort();
      asked.abort();
      expect(asked.seen.errors).toEqual([undefined]);
      await until(() => isClosed, 'the agent sees it');
      await pause(30);
      expect([asked.seen.errors, asked.seen.ends]).toEqual([[undefined], 0]);
    },
  );
  test('that is over already is nothing to anybody', async () => {
    const url = await say(ok('a'));
    const asked = ask(url);
    await asked.over;
    asked.abort();
    const [{ body }] = [await ask(url).over];
    expect([isGood(asked.seen), body, open.length]).toEqual([true, 'a', 1]);
  });
});

describe('what is no answer is told with its cause', () => {
  const causeOf = async (url: URL, options?: Options) => {
    const { errors, ends } = await ask(url, options).over;
    expect([errors.length, ends]).toEqual([1, 0]);
    return toReason(errors[0]);
  };
  test('no HTTP', async () => {
    expect(await causeOf(await say('220 mail.example\r\n'))).toBe('bad-response');
  });
  test('one that can be read in two ways', async () => {
    expect(await causeOf(await say(ok('a', 'transfer-encoding: chunked')))).toBe('bad-response');
  });
  test.each(['', 'HTTP/1.1 200 OK\r\ncontent-', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell'])(
    'cut off after %j',
    async (said) => {
      const url = await listen(createTcpServer((socket) => socket.on('data', () => socket.end(said))));
      expect(await causeOf(url)).toBe('connection-closed');
    },
  );
  test('reset', async () => {
    const url = await listen(createTcpServer((socket) => socket.on('data', () => socket.resetAndDestroy())));
    expect(await causeOf(url)).toBe('econnreset');
  });
  test('nobody there, who was not asked either', async () => {
    const url = await say('');
    await new Promise((resolve) => servers.pop()?.close(resolve));
    const { errors } = await ask(url).over;
    expect(errors.map(toReason)).toEqual(['econnrefused']);
    expect(toCallError(errors[0])).toBeInstanceOf(AgentUntaken);
  });
  test('nobody who takes the connection in time, who was not asked either', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const silent = await listen(createTcpServer(), 'https');
    const asked = ask(silent, { method: 'POST', body: '{}' });
    vi.advanceTimersByTime(9_999);
    expect(asked.seen.errors).toEqual([]);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    expect(asked.seen.errors.map(toReason)).toEqual(['connect-timeout']);
    expect(toCallError(asked.seen.errors[0])).toBeInstanceOf(AgentUntaken);
  });
  test('a fault in who reads it, and no process ends', async () => {
    const fault = new RangeError('too deep');
    const url = await say(ok('a'));
    for (const where of ['onStart', 'onData', 'onEnd']) {
      const seen = await new Promise((resolve) =>
        sockets.dispatch(
          { method: 'GET', url, headers: {}, body: undefined },
          {
            ...{ onStart() {}, onData() {}, onEnd() {} },
            [where]() {
              throw fault;
            },
            onError: resolve,
          },
        ),
      );
      expect([where, seen]).toEqual([where, fault]);
    }
  });
});

test('many answers at once do not mix, though all are read into the same place', async () => {
  const bodies = Array.from({ length: 20 }, () => randomBytes(1_000_000));
  const listener: RequestListener = (request, response) => {
    const body = bodies[Number(request.headers['x-number'])] as Buffer;
    for (let at = 0; at < body.length; at += 40_000) response.write(body.subarray(at, at + 40_000));
    response.end();
  };
  const url = await serve(listener);
  const toHash = (bytes: string | Buffer) =>
    createHash('sha256')
      .update(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
      .digest('hex');
  const all = await Promise.all(
    bodies.map((_, index) => ask(url, { headers: { 'x-number': `${index}` } }).over),
  );
  expect(all.map(({ body }) => toHash(body))).toEqual(bodies.map(toHash));
});

test('a helper that closes tells those who wait, and asks nobody any more', async () => {
  const own = createSocketDispatch();
  const { dispatch } = own;
  const url = await serve((_, response) => void response.write('a'));
  const asked = ask(url, { dispatch });
  await until(() => asked.seen.body === 'a', 'it runs');
  own.close();
  const later = await ask(url, { dispatch }).over;
  expect([asked.seen.errors, later.errors].map(([cause]) => toReason(cause))).toEqual([
    'helper-closed',
    'helper-closed',
  ]);
  expect(open.length).toBe(1);
});

describe('over TLS', () => {
  const file = (name: string) => fileURLToPath(new URL(`../vectors/tls/${name}.pem`, import.meta.url));
  const certified = { cert: readFileSync(file('cert')), key: readFileSync(file('key')) };

  test('a certificate that nobody vouches for is refused before anything is said', async () => {
    let asked = 0;
    const url = await listen(
      createTlsServer(certified, () => {
        asked += 1;
      }),
      'https',
    );
    const { errors } = await ask(url, { method: 'POST', body: '{}' }).over;
    expect(toReason(errors[0])).toMatch(/self-signed/);
    expect(asked).toBe(0);
  });

  test('answers come whole over connections that are kept and resumed, and only from whom they are wanted', async () => {
    const agent = await startFakeAgent();
    const resumed: boolean[] = [];
    const inFront = createTlsFront(certified, (socket) => {
      resumed.push(socket.isSessionReused());
      open.push(socket.on('error', () => {}));
      const behind = connect(agent.port, '127.0.0.1').on('error', () => socket.destroy());
      socket.pipe(behind).pipe(socket);
    });
    const { port } = await listen(inFront, 'https', '0.0.0.0');
    const env = { NODE_EXTRA_CA_CERTS: file('cert') };
    const helper = await startHelper({ agentUrl: `https://localhost:${port}`, env });
    const visitor = await createVisitor(helper);
    const words = 'word '.repeat(20_000);
    for (let round = 0; round < 2; round += 1)
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          agent.nextChat((answer) => {
            answer.open();
            for (let at = 0; at < words.length; at += 1_000)
              answer.event('delta', { text: words.slice(at, at + 1_000) });
            answer.done(words);
          });
          const stream = await visitor.ask(randomUUID(), randomUUID(), makeQuestion());
          await stream.whole();
          expect(stream.ended('turn-completed').message.text).toBe(words);
          expect(stream.text).toBe(words);
        }),
      );
    expect(resumed.length).toBeLessThan(10);
    expect(resumed).toContain(true);
    await helper.close();
    const strange = await startHelper({ agentUrl: `https://127.0.0.2:${port}`, env });
    const { stream } = await (await createVisitor(strange)).chat();
    expect(stream.ended('turn-failed').code).toBe('agent-unavailable');
    expect(strange.output).toContain('err-tls-cert-altname-invalid');
    await strange.close();
    await agent.close();
  });
});

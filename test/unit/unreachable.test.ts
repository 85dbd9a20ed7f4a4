/** An operator reads in the log why the agent cannot be reached, and not at every call. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { dispatchFetch } from '../../server-helper/agent/dispatch-fetch.ts';
import { createNodeDispatch, createSocketDispatch } from '../../server-helper/agent/dispatch-sockets.ts';
import { createAgentHttp, type Dispatch } from '../../server-helper/agent/http.ts';
import { type LogFields, silentLog } from '../../server-helper/log.ts';

const sockets = createSocketDispatch();
let plain: Server;
let open: number;
let closed: number;
beforeAll(async () => {
  const listen = async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return { server, port: (server.address() as AddressInfo).port };
  };
  const gone = await listen();
  closed = gone.port;
  await new Promise((resolve) => gone.server.close(resolve));
  ({ server: plain, port: open } = await listen());
});
afterAll(async () => {
  plain.close();
  sockets.close();
});

const ways: [string, Dispatch][] = [
  ['sockets', sockets.dispatch],
  ['fetch', dispatchFetch],
];
test.each(ways)('by %s', async (_, dispatch) => {
  const told: LogFields[] = [];
  const log = { ...silentLog, warn: (fields: LogFields) => void told.push(fields) };
  let now = 0;
  const call = async (agentUrl: string) => {
    const target = { agentUrl: new URL(agentUrl), apiKey: 'k', projectId: 'p', botId: 'b', log };
    const agent = createAgentHttp(target, dispatch, () => now);
    const ask = () => agent.call('GET', '/v1/bot/read').catch(({ code }: { code: string }) => code);
    expect(await ask()).toBe('agent-unavailable');
    expect(await ask()).toBe('agent-unavailable');
    expect(told).toHaveLength(1);
    now += 60_000;
    await ask();
    return told.splice(0);
  };
  const path = '/v1/bot/read';
  const refused = { code: 'agent-unavailable', cause: 'econnrefused', path };
  expect(await call(`http://127.0.0.1:${closed}`)).toEqual([refused, refused]);
  const [noTls] = await call(`https://127.0.0.1:${open}`);
  expect(noTls?.cause).toMatch(/ssl/);
});

test('by fetch, what cannot be read fails its own call, and no process', async () => {
  const server = createServer((_, response) => void response.end('{}')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const fault = new RangeError('too deep');
  const seen = await new Promise((resolve) =>
    dispatchFetch(
      { method: 'GET', url, headers: {}, body: undefined },
      {
        onStart() {},
        onData() {},
        onEnd() {
          throw fault;
        },
        onError: resolve,
      },
    ),
  );
  expect(seen).toBe(fault);
});

test('an agent that says nothing is counted once, as late', async () => {
  const target = { agentUrl: new URL(`http://127.0.0.1:${open}`), apiKey: 'k', projectId: 'p', botId: 'b' };
  const noted: string[] = [];
  const agent = createAgentHttp({ ...target, log: silentLog }, sockets.dispatch, undefined, (outcome) =>
    noted.push(outcome),
  );
  await expect(agent.call('GET', '/v1/bot/read', { timeoutMs: 50 })).rejects.toMatchObject({
    code: 'agent-timeout',
  });
  expect(noted).toEqual(['timeout']);
});

test('where Node is told to go through a proxy the agent is asked by fetch, which does so', () => {
  expect(createNodeDispatch({ NODE_USE_ENV_PROXY: '1' }).dispatch).toBe(dispatchFetch);
  expect(createNodeDispatch({ NODE_USE_ENV_PROXY: '0' }).dispatch).not.toBe(dispatchFetch);
});

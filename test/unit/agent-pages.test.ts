/** The record of a chat, read from an agent whose pages hold fewer messages than are asked for. */
import { expect, test } from 'vitest';
import { createAgentConversations } from '../../server-helper/agent/conversation.ts';
import { AgentReplyTooLarge } from '../../server-helper/agent/failure.ts';
import { type AgentHttp, type Call, createAgentHttp, type Dispatch } from '../../server-helper/agent/http.ts';
import { silentLog } from '../../server-helper/log.ts';

const total = 130;
const toId = (index: number) => `m${index}`;

/** @param told what its replies say that a page holds; undefined: nothing */
function startAgent(cap: number, told?: number) {
  const calls: unknown[] = [];
  const call = (_: string, __: string, { query = {} }: Call = {}) => {
    calls.push(query);
    const perPage = Math.min(cap, Number(query.per_page));
    const start = (Number(query.page) - 1) * perPage;
    const conversation = Array.from(
      { length: Math.max(0, Math.min(perPage, total - start)) },
      (___, index) => ({
        uuid: toId(start + index),
        role: 'user',
        content: 'Hi',
      }),
    );
    return Promise.resolve({
      conversation,
      pagination: { page: query.page, per_page: told ?? perPage, total },
    });
  };
  return { call, calls, agent: createAgentConversations({ call } as unknown as AgentHttp) };
}

const toIds = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => toId(from + index));

test.each([1, 7, 20, 50, 99, 100])('pages of at most %i messages give all that is asked for', async (cap) => {
  for (const [count, before] of [
    [total, undefined],
    [30, undefined],
    [100, 130],
    [45, 110],
    [10, 5],
  ] as const) {
    const { agent } = startAgent(cap);
    const end = before ?? total;
    const from = Math.max(0, end - count);
    for (let again = 0; again < 2; again += 1) {
      const page = await agent.read('chat', count, before);
      expect(page).toMatchObject({ total: end, from });
      expect(page.messages.map(({ id }) => id)).toEqual(toIds(from, end));
    }
  }
});

test('what an agent says of its pages counts only where they are as small', async () => {
  const { agent, calls } = startAgent(100, 10);
  const page = await agent.read('chat', total);
  expect(page.messages.map(({ id }) => id)).toEqual(toIds(0, total));
  expect(calls).toHaveLength(2);
});

test('an agent that knows no pages, and gives the whole record each time, is read as one that does', async () => {
  const conversation = toIds(0, total).map((uuid) => ({ uuid, role: 'user', content: 'Hi' }));
  const call = () => Promise.resolve({ conversation, pagination: { total } });
  const agent = createAgentConversations({ call } as unknown as AgentHttp);
  for (const before of [undefined, total, 70, 10]) {
    const end = before ?? total;
    const page = await agent.read('chat', 30, before);
    expect(page.messages.map(({ id }) => id)).toEqual(toIds(Math.max(0, end - 30), end));
  }
});

test.each([1, 3, 20])(
  'where a reply holds %i messages at most, fewer are asked for at once',
  async (most) => {
    const { call } = startAgent(100);
    const long: typeof call = (method, path, options) =>
      Number(options?.query?.per_page) > most
        ? Promise.reject(new AgentReplyTooLarge())
        : call(method, path, options);
    const reader = createAgentConversations({ call: long } as unknown as AgentHttp);
    for (const before of [undefined, 95, 10]) {
      const end = before ?? total;
      const page = await reader.read('chat', 100, before);
      expect(page.messages.map(({ id }) => id)).toEqual(toIds(Math.max(0, end - 100), end));
    }
  },
);

test('a message that is too large by itself fails, and is told', async () => {
  const warned: unknown[] = [];
  const log = { ...silentLog, warn: (fields: unknown, text: string) => warned.push([fields, text]) };
  const dispatch: Dispatch = (_, exchange) => {
    let isAborted = false;
    queueMicrotask(() => {
      exchange.onStart(200, () => undefined);
      for (let megabytes = 0; megabytes < 9 && !isAborted; megabytes += 1)
        exchange.onData(new Uint8Array(1024 * 1024));
      exchange.onError();
    });
    return {
      // An abort is told before it returns.
      abort() {
        isAborted = true;
        exchange.onError();
      },
    };
  };
  const target = { agentUrl: new URL('http://agent.test'), apiKey: 'k', projectId: 'p', botId: 'b', log };
  const agent = createAgentConversations(createAgentHttp(target, dispatch));
  await expect(agent.read('chat', 10)).rejects.toThrow(AgentReplyTooLarge);
  expect(warned).toEqual([[{ path: '/v1/bot/chat/read' }, 'a reply of the agent is larger than 8 MiB']]);
});

test('what an agent notes of its tools is no answer', async () => {
  const conversation = ['user', 'tool', 'function', 'system', 'user', 'assistant'].map((role, index) => ({
    uuid: toId(index),
    role,
    content: 'Hi',
  }));
  const call = () => Promise.resolve({ conversation, pagination: { total: conversation.length } });
  const page = await createAgentConversations({ call } as unknown as AgentHttp).read('chat', 30);
  expect(page.total).toBe(conversation.length);
  expect(page.messages.map(({ id, role }) => [id, role])).toEqual([
    ['m0', 'visitor'],
    ['m3', 'agent'],
    ['m4', 'visitor'],
    ['m5', 'agent'],
  ]);
  expect(page).toMatchObject({ indices: [0, 3, 4, 5], held: 6 });
});

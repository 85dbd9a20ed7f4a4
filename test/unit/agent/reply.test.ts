/** A running reply and its readers; a service that is closed and opened again. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createAgentService } from '../../../demo/agent/service.ts';
import { createReply, pingAfterMs } from '../../../demo/agent/turns/reply.ts';
import { createAgentClient } from '../../support/agentclient.ts';
import { createGate, startShopAgent, target } from '../../support/agentservice.ts';

afterEach(() => void vi.useRealTimers());

const decoder = new TextDecoder();
const readAll = async (stream: ReadableStream<Uint8Array>) => {
  let text = '';
  for await (const chunk of stream) text += decoder.decode(chunk);
  return text;
};

describe('a running reply', () => {
  test('gives every reader all frames from the beginning, however late it comes', async () => {
    const reply = createReply('chat', 'message');
    reply.push('start', {});
    const early = readAll(reply.follow());
    reply.push('delta', { text: 'One' });
    const late = readAll(reply.follow());
    reply.push('done', {});
    reply.end();
    const frames =
      'event: start\ndata: {}\n\nevent: delta\ndata: {"text":"One"}\n\nevent: done\ndata: {}\n\n';
    expect(await early).toBe(frames);
    expect(await late).toBe(frames);
    expect(await readAll(reply.follow())).toBe(frames);
  });

  test('sends a ping comment after 15 seconds of silence', async () => {
    vi.useFakeTimers();
    const reply = createReply('chat', 'message');
    const reader = reply.follow().getReader();
    const ping = reader.read();
    await vi.advanceTimersByTimeAsync(pingAfterMs);
    expect(decoder.decode((await ping).value)).toBe(': ping\n\n');
    const delta = reader.read();
    await vi.advanceTimersByTimeAsync(pingAfterMs - 1);
    reply.push('delta', { text: 'x' });
    expect(decoder.decode((await delta).value)).toContain('event: delta');
    await reader.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('takes no frame after its end', async () => {
    const reply = createReply('chat', 'message');
    reply.end();
    reply.push('delta', { text: 'late' });
    expect(await readAll(reply.follow())).toBe('');
  });
});

test('a turn goes on without any reader and is in the record when it has ended', async () => {
  const gate = createGate();
  const agent = await startShopAgent({ wordsPerSecond: 30, sleep: gate.sleep });
  const ask = { message: 'How long does shipping to Canada take?', stream: true, chat_id: 'c' };
  for await (const { event } of agent.client.stream('POST', '/v1/bot/chat', ask))
    if (event === 'start') break;
  const subscribed = agent.client.streamAll('GET', '/v1/bot/chat/subscribe', { chat_id: 'c' });
  const running = await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: 'c' });
  expect(running.body.total).toBe(1);
  gate.open();
  expect((await subscribed).at(-1)?.event).toBe('done');
  const ended = await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: 'c' });
  expect(ended.body.conversation[1].content).toContain('5 to 8 business days');
  await agent.close();
});

test('deleting a conversation ends its running turn and it does not come back', async () => {
  const gate = createGate();
  const agent = await startShopAgent({ wordsPerSecond: 30, sleep: gate.sleep });
  const ask = { message: 'How long does shipping to Canada take?', stream: true, chat_id: 'c' };
  const frames = agent.client.stream('POST', '/v1/bot/chat', ask);
  await frames.next();
  await agent.client.call('DELETE', '/v1/bot/chat/delete', { chat_id: 'c' });
  expect((await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: 'c' })).status).toBe(404);
  expect(
    (await agent.client.call('GET', '/v1/bot/chat/stream-status', { chat_id: 'c' })).body.streaming,
  ).toBe(false);
  await frames.return(undefined);
  await agent.close();
});

test('conversations and sources outlive the process; a key that is no longer configured is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-'));
  const options = { ...target, db: join(folder, 'agent.db'), wordsPerSecond: 0 };
  const first = createAgentService({ ...options, extraKeys: [{ key: 'old-key', role: 'member' }] });
  const before = createAgentClient('http://agent.test', target, first.fetch);
  await before.call('POST', '/v1/bot/source/create', {
    type: 'text',
    title: 'Note',
    source: 'Quaggas graze at dawn.',
  });
  await first.idle();
  await before.chat('When do quaggas graze?', { chat_id: 'kept' });
  await first.close();

  const second = createAgentService(options);
  const after = createAgentClient('http://agent.test', target, second.fetch);
  expect((await after.call('GET', '/v1/bot/chat/read', { chat_id: 'kept' })).body.total).toBe(2);
  expect((await after.chat('When do quaggas graze?')).body.chat.reply).toContain('at dawn');
  expect((await after.call('GET', '/v1/bot/read', {}, 'old-key')).status).toBe(401);
  await second.close();
  rmSync(folder, { recursive: true });
});

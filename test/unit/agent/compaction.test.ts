/** Context compaction at 70 % of the model's limit. */

import { describe, expect, test } from 'vitest';
import type { Answerer, HistoryMessage } from '../../../demo/agent/answer/answerer.ts';
import { summariseByFirstSentences } from '../../../demo/agent/answer/summary.ts';
import type { Message } from '../../../demo/agent/store/messages.ts';
import { compactChat } from '../../../demo/agent/turns/compaction.ts';
import { startShopAgent } from '../../support/agentservice.ts';

const message = (id: number, tokens: number) =>
  ({ id, role: 'user', content: 'x'.repeat(tokens * 4) }) as Message;
const { signal } = new AbortController();

function createSummariser(summarise: Answerer['summarise']): Answerer {
  return { model: 'test', summarise, answer: async () => ({ kind: 'done' }) };
}

describe('context compaction', () => {
  const chat = { summary: '', summary_until: 0 };

  test('leaves a conversation under 70 % alone', async () => {
    const answerer = createSummariser(async () => 'summary');
    const messages = [message(1, 300), message(2, 300), message(3, 99)];
    expect(await compactChat(chat, messages, 1000, 0, answerer, signal)).toBeUndefined();
  });

  test('summarises the older messages at 70 % and keeps the newest', async () => {
    const seen: (readonly HistoryMessage[])[] = [];
    const answerer = createSummariser(async (_earlier, older) => {
      seen.push(older);
      return 'summary';
    });
    const messages = [message(1, 300), message(2, 200), message(3, 200)];
    expect(await compactChat(chat, messages, 1000, 0, answerer, signal)).toEqual({
      summary: 'summary',
      until: 2,
    });
    expect(seen[0]).toHaveLength(2);
  });

  test('counts all that is sent besides (S215)', async () => {
    const answerer = createSummariser(async () => 'summary');
    const messages = [message(1, 300), message(2, 100)];
    expect(await compactChat(chat, messages, 1000, 299, answerer, signal)).toBeUndefined();
    expect(await compactChat(chat, messages, 1000, 300, answerer, signal)).toEqual({
      summary: 'summary',
      until: 1,
    });
  });

  test('counts the earlier summary and gives it to the next one', async () => {
    let given = '';
    const answerer = createSummariser(async (earlier) => {
      given = earlier;
      return 'newer';
    });
    const summary = 's'.repeat(2000);
    const compacted = await compactChat(
      { summary, summary_until: 4 },
      [message(5, 100), message(6, 250)],
      1000,
      0,
      answerer,
      signal,
    );
    expect(compacted).toEqual({ summary: 'newer', until: 5 });
    expect(given).toBe(summary);
  });

  test('falls back to first sentences when the model cannot summarise', async () => {
    const answerer = createSummariser(async () => {
      throw new Error('down');
    });
    const compacted = await compactChat(chat, [message(1, 500), message(2, 300)], 1000, 0, answerer, signal);
    expect(compacted?.summary).toMatch(/^Visitor: x+$/);
  });

  test('the built-in summary keeps first sentences, the latest ones when it grows too long', () => {
    const text = summariseByFirstSentences('Visitor: Old.', [
      { role: 'user', content: 'I need a tent. It must be light.' },
      { role: 'system', content: 'The Fell 2 weighs 1.9 kg. It sleeps two.' },
    ]);
    expect(text).toBe('Visitor: Old.\nVisitor: I need a tent.\nAgent: The Fell 2 weighs 1.9 kg.');
    const many = Array.from({ length: 100 }, (_, index) => ({
      role: 'user' as const,
      content: `Line ${index} ${'y'.repeat(60)}.`,
    }));
    const long = summariseByFirstSentences('', many);
    expect(long.length).toBeLessThanOrEqual(2000);
    expect(long).toContain('Line 99');
  });

  test('happens within a conversation, is logged, and costs no message', async () => {
    const agent = await startShopAgent({ contextTokens: 256 });
    for (let turn = 0; turn < 6; turn += 1)
      await agent.client.chat(`Tell me about shipping to Canada. ${'Please. '.repeat(20)}`, {
        chat_id: 'long',
      });
    expect(agent.service.events.some(({ event }) => event === 'chat.compacted')).toBe(true);
    const { body } = await agent.client.call('GET', '/v1/bot/chat/read', { chat_id: 'long', per_page: 50 });
    expect(body.total).toBe(12);
    await agent.close();
  });
});

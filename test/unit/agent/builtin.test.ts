/** The built-in answerer: quotes with citations, honest about nothing found, asks when unsure. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseTool } from '../../../demo/agent/builtin/toolwords.ts';
import { joinDeltas } from '../../support/agentclient.ts';
import { type ShopAgent, startShopAgent } from '../../support/agentservice.ts';

describe('the built-in answerer', () => {
  let agent: ShopAgent;
  beforeAll(async () => {
    agent = await startShopAgent();
  });
  afterAll(() => agent.close());

  const ask = async (message: string, input: object = {}) =>
    (await agent.client.chat(message, input)).body.chat;

  test('quotes the sentence that answers and cites its page', async () => {
    const { reply, sources } = await ask('How long does shipping to Canada take?');
    expect(reply).toBe(
      'Shipping to Canada takes 5 to 8 business days. Duties are included in the price at checkout. [1]',
    );
    expect(sources).toMatchObject([
      { citation_number: 1, title: 'Shipping', url: `${agent.shop.url}/shipping.html` },
    ]);
  });

  test('quotes a cell of a table with the names of its row and column', async () => {
    const { reply } = await ask('How much is shipping to Germany?');
    expect(reply).toBe('**Germany**, price: $24. [1]');
  });

  test('quotes a list item', async () => {
    expect((await ask('What does replacing a zip cost?')).reply).toBe('Zips are replaced for $35. [1]');
  });

  test.each(['Do you sell kayaks?', 'What is the capital of France?', 'qwertz'])(
    'says that it found nothing about "%s" and names the contact page',
    async (question) => {
      const { reply, sources } = await ask(question);
      expect(reply).toContain('I found nothing about that');
      expect(reply).toContain(`[Contact](<${agent.shop.url}/contact.html>)`);
      expect(sources).toEqual([]);
    },
  );

  test('asks what is meant when several pages answer about equally, and goes on from the answer', async () => {
    const chat_id = randomUUID();
    const paused = await ask('How long does it take?', { chat_id });
    expect(paused).toMatchObject({ type: 'tool_approval_required', requiresApproval: true, reply: '' });
    const [{ options }] = paused.tool.parameters.questions;
    expect(paused.tool.name).toBe('ask_user');
    expect(options).toEqual(expect.arrayContaining(['Shipping', 'Returns', 'Repairs']));

    const frames = await agent.client.streamAll('POST', '/v1/bot/chat/execute-tool', {
      chat_id,
      stream: true,
      execution_data: {
        executionId: paused.executionId,
        parameters: { ...paused.tool.parameters, answers: ['Repairs'] },
      },
    });
    expect(joinDeltas(frames)).toBe('A tent pole repair takes 2 weeks. [1]');
    expect(frames.at(-1)?.event).toBe('done');
    expect(frames[0]?.data.message_id).toBe(paused.agent.uuid);
  });

  test('a follow-up takes over the matter of the question before', async () => {
    const chat_id = randomUUID();
    await ask('How long does shipping to the United States take?', { chat_id });
    const { reply } = await ask('and to Germany?', { chat_id });
    expect(reply).toBe('**Germany**, time: 7 to 10 business days. [1]');
    expect(reply).not.toContain('United States');
  });

  test('a single word that one page has in its title is about that page', async () => {
    const { sources } = await ask('returns');
    expect(sources.map(({ url }: { url: string }) => url)).toEqual([`${agent.shop.url}/returns.html`]);
  });

  test('says what it is when asked', async () => {
    expect((await ask('Are you a human?')).reply).toContain('a program without a language model');
  });

  test('restricts itself to the sources that the call names', async () => {
    expect(
      (await ask('How long does shipping to Canada take?', { source_ids: [randomUUID()] })).sources,
    ).toEqual([]);
    expect((await ask('How long does shipping to Canada take?', { memory: false })).sources).toEqual([]);
  });

  test('keeps to max_reply_tokens', async () => {
    const { reply } = await ask('How long does shipping to Canada take?', { max_reply_tokens: 4 });
    expect(reply.length).toBeLessThanOrEqual(17);
  });

  test('page text that looks like markup is quoted as text', async () => {
    await agent.client.call('POST', '/v1/bot/source/create', {
      type: 'text',
      title: 'Odd',
      source: 'The quagga *tent* has <b>a</b> [link](http://elsewhere.invalid) in its description.',
    });
    await agent.service.idle();
    const { reply } = await ask('What is in the quagga description?');
    expect(reply).toContain('\\*tent\\* has \\<b\\>a\\</b\\> \\[link\\]');
  });

  test('streams word by word at its pace', async () => {
    const waits: number[] = [];
    const paced = await startShopAgent({
      wordsPerSecond: 20,
      sleep: async (ms) => {
        waits.push(ms);
      },
    });
    const frames = await paced.client.streamAll('POST', '/v1/bot/chat', {
      message: 'How long does shipping to Canada take?',
      stream: true,
    });
    const deltas = frames.filter(({ event }) => event === 'delta');
    expect(deltas.length).toBe(18);
    expect(waits).toEqual(Array(18).fill(50));
    await paced.close();
  });

  test('stock is looked up without asking', async () => {
    const frames = await agent.client.streamAll('POST', '/v1/bot/chat', {
      message: 'Is the Fell 2 in stock?',
      stream: true,
    });
    expect(agent.shop.calls.at(-1)).toEqual({ tool: 'stock', parameters: { product: 'Fell 2' } });
    expect(frames.filter(({ event }) => event === 'tool').map(({ data }) => data.status)).toEqual([
      'running',
      'done',
    ]);
    expect(joinDeltas(frames)).toBe('**Fell 2**: in stock.\n\n- Quantity: 4');
  });

  test('a product that the stock tool does not know is looked up in the pages', async () => {
    expect((await ask('Is a refund available?')).reply).toContain('A refund reaches your card');
  });

  test('a thing is looked up by its own heading, not by a row that calls it something else', async () => {
    await agent.client.call('POST', '/v1/bot/source/create', {
      type: 'text',
      title: 'Makers',
      source: '## Where they are made\n\n| Thing | Made in |\n| --- | --- |\n| Fell | Wales |',
    });
    await agent.service.idle();
    const before = agent.shop.calls.length;
    await ask('Is the Fell 2 in stock?');
    expect(agent.shop.calls.slice(before)).toEqual([{ tool: 'stock', parameters: { product: 'Fell 2' } }]);
  });

  test('the words that a tool says of itself name no thing', () => {
    const tool = {
      name: 'stock',
      title: 'Stock',
      description: '',
      approval: 'auto' as const,
      phrases: ['in stock'],
      parameters: { properties: { product: { type: 'string' } }, required: ['product'] },
      run: async () => ({ ok: true, result: {} }),
    };
    const asked: string[] = [];
    const findThing = (text: string) => {
      asked.push(text);
      return 'Hearth stove';
    };
    const choice = chooseTool('is the Hearth in stock?', [], [tool], { findThing, isSignedIn: false });
    expect(choice).toMatchObject({ kind: 'call', parameters: { product: 'Hearth stove' } });
    expect(asked).toEqual(['is the Hearth  ?']);
  });

  test('what is sent piece by piece because it was asked for is looked up', async () => {
    const chat_id = randomUUID();
    expect((await ask('Where is my order?', { chat_id })).reply).toContain('Send me the order number');
    const paused = await ask('LF-10234', { chat_id });
    const said = paused.tool ? paused : await ask('ada@larkfield.example', { chat_id });
    expect(said.tool?.parameters).toMatchObject({ orderNumber: 'LF-10234' });
  });

  test('an order question without a number is answered with a request for it', async () => {
    expect((await ask('Where is my order?')).reply).toContain('Send me the order number');
  });
});

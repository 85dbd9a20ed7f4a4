/** Two visitors with a workspace each, and two hundred turns of theirs at once: no file of one is ever the other's. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { callTool, say, startProvider } from '../support/agentprovider.ts';
import { type ShopAgent, startShopAgent } from '../support/agentservice.ts';

const turns = 200;
const folder = mkdtempSync(join(tmpdir(), 'agent-two-'));
let agent: ShopAgent;
let provider: Awaited<ReturnType<typeof startProvider>>;
afterEach(async () => {
  await agent.close();
  await provider.close();
  rmSync(folder, { recursive: true });
});

/** The model calls what the question says, and then is done. */
const start = async () => {
  provider ??= await startProvider(({ messages }) => {
    const asked = /CALL(\{.*\})CALL/.exec(JSON.stringify(messages.at(-1).content ?? ''));
    if (messages.at(-1).role === 'tool' || !asked) return { deltas: [say('Done.')] };
    const { name, parameters } = JSON.parse(JSON.parse(`"${asked[1]}"`));
    return { deltas: [callTool(name, parameters)] };
  });
  agent = await startShopAgent({
    db: join(folder, 'agent.db'),
    provider: { host: provider.host, model: 'small' },
    requestsPerMinute: 100_000,
  });
};
const ask = (call: object, input: object) =>
  agent.client.chat(`CALL${JSON.stringify(call)}CALL`, {
    reasoning_mode: 'agent',
    purpose: 'service',
    ...input,
  });

/** The same every time it is run. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const toCall = (random: (below: number) => number, whose: string, turn: number) => {
  const path = `/notes/${random(5)}.txt`;
  const calls = [
    { name: 'write_file', parameters: { path, content: `of ${whose}, turn ${turn}\n` } },
    { name: 'write_file', parameters: { path: `/${whose}-${turn}.txt`, content: `of ${whose}` } },
    { name: 'read_file', parameters: { path } },
    { name: 'ls', parameters: { recursive: true } },
    { name: 'glob', parameters: { pattern: '**' } },
    { name: 'grep', parameters: { pattern: 'of ', context: 1 } },
  ];
  return calls[random(calls.length)]!;
};

test('two hundred turns at once, over a restart and a pause, and each in its own', async () => {
  await start();
  const people = await Promise.all(
    ['ada', 'bea'].map(async (whose) => {
      const { body } = await agent.client.call('POST', '/v1/bot/workspace/create', { purpose: 'service' });
      return { whose, workspace_uuid: body.workspace.uuid as string };
    }),
  );
  const random = createRandom(7);
  /** Pinned at the first turn of each conversation, and never named again. */
  const begin = (chat: number) =>
    people.map(({ whose, workspace_uuid }) =>
      ask({ name: 'ls', parameters: {} }, { chat_id: `${whose}-${chat}`, workspace_uuid }),
    );
  const play = async (from: number, to: number) => {
    const all = Array.from({ length: to - from }, async (_, index) => {
      const { whose } = people[index % 2]!;
      // Of one conversation one turn runs at a time.
      const chat_id = `${whose}-${Math.floor(index / 2)}`;
      const call = toCall(random, whose, from + index);
      const { status, body } = await ask(call, { chat_id });
      expect(status, JSON.stringify({ call, body })).toBe(200);
    });
    await Promise.all(all);
  };
  const half = turns / 2;
  await Promise.all(Array.from({ length: half / 2 }, (_, chat) => begin(chat)).flat());
  await play(0, half);
  const questions = [{ question: 'Go on?' }];
  const paused = await Promise.all(
    people.map(({ whose }) =>
      ask({ name: 'ask_user', parameters: { questions } }, { chat_id: `${whose}-0` }),
    ),
  );
  await agent.close();
  await start();
  for (const { body } of paused) {
    const { executionId, context } = body.chat;
    const execution_data = { executionId, parameters: { answers: ['Yes'] } };
    const { status } = await agent.client.call('POST', '/v1/bot/chat/execute-tool', {
      chat_id: context.chat_id,
      execution_data,
    });
    expect(status).toBe(200);
  }
  await play(half, turns);

  for (const { body } of provider.requests) {
    const told = JSON.stringify(body.messages);
    expect([told.includes('of ada'), told.includes('of bea')]).not.toEqual([true, true]);
  }
  const ran = provider.requests.filter(({ body }) => body.messages.at(-1).role === 'tool');
  expect(ran.length).toBeGreaterThanOrEqual(turns);
  for (const { whose, workspace_uuid } of people) {
    const { files } = (
      await agent.client.call('GET', '/v1/bot/workspace/files', { workspace_uuid, per_page: 1_000 })
    ).body;
    expect(files.length).toBeGreaterThan(20);
    for (const { uuid: file_uuid } of files) {
      const { file } = (
        await agent.client.call('GET', '/v1/bot/workspace/file', { workspace_uuid, file_uuid })
      ).body;
      expect(file.content.startsWith(`of ${whose}`)).toBe(true);
    }
  }
}, 120_000);

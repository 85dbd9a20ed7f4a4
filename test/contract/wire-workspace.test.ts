/** Clause 25: every question goes into a workspace that the helper pinned. */
import { expect, test } from 'vitest';
import { loseWorkspace, sendJson } from '../support/fake-agent.ts';
import { type Environment, until } from '../support/helper-process.ts';
import { startRig, useRig } from '../support/rig.ts';
import { makeQuestion, type Visitor } from '../support/visitor.ts';

const { rig, visitor } = await useRig();

/** The workspaces of these questions, each of a new conversation unless they share one. */
async function pinnedBy(env: Environment, ask: (first: Visitor, second: Visitor) => Promise<void>) {
  const other = await startRig({ env });
  await ask(await other.visit(), await other.visit());
  const pinned = other.agent.callsTo('POST /v1/bot/chat').map(({ body }) => body.workspace_uuid);
  const made = other.agent.callsTo('POST /v1/bot/workspace/create').length;
  await other.close();
  return { pinned, made };
}

test('clause 25: if the workspace cannot be made, the turn fails before the agent is asked', async () => {
  for (const status of [500, 403]) {
    rig.agent.override(
      'POST /v1/bot/workspace/create',
      (_, response) => void response.writeHead(status).end('{}'),
    );
    const { stream, question, conversationId } = await visitor.chat();
    expect(stream.last.kind).toBe('turn-failed');
    expect(stream.all('turn-failed')[0]?.retryable).toBe(status === 500);
    expect(rig.agent.chatsAbout(question)).toEqual([]);
    rig.agent.restore('POST /v1/bot/workspace/create');
    const next = await visitor.chat(makeQuestion(), conversationId);
    expect(next.stream.last.kind).toBe('turn-completed');
  }
  rig.agent.override(
    'POST /v1/bot/workspace/create',
    (_, response) => void response.writeHead(201).end('{}'),
  );
  const { stream, question } = await visitor.chat();
  rig.agent.restore('POST /v1/bot/workspace/create');
  expect(stream.last.kind).toBe('turn-failed');
  expect(rig.agent.chatsAbout(question)).toEqual([]);
});

test('clause 25: a workspace a conversation is made once, on the first question', async () => {
  const { pinned, made } = await pinnedBy({}, async (first, second) => {
    const { conversationId } = await first.chat();
    await first.chat(makeQuestion(), conversationId);
    await second.chat();
  });
  expect(made).toBe(2);
  expect(pinned[0]).toBe(pinned[1]);
  expect(pinned[2]).not.toBe(pinned[0]);
});

test('clause 25: a workspace a visitor is made once, be there two first questions at one moment', async () => {
  const { pinned, made } = await pinnedBy({ PORCHLIGHT_WORKSPACE: 'visitor' }, async (first, second) => {
    await Promise.all([first.chat(), first.chat()]);
    await second.chat();
  });
  expect(made).toBe(2);
  expect(new Set(pinned).size).toBe(2);
  expect(pinned[0]).toBe(pinned[1]);
});

/** An agent whose workspaces somebody deletes there. */
async function askWithout(env: Environment) {
  const other = await startRig({ env });
  const guest = await other.visit();
  const { conversationId } = await guest.chat();
  const gone = other.agent.callsTo('POST /v1/bot/chat').at(-1)?.body.workspace_uuid;
  loseWorkspace(other.agent, gone);
  const [again, elsewhere] = [await guest.chat(makeQuestion(), conversationId), await guest.chat()];
  const asked = other.agent.callsTo('POST /v1/bot/chat');
  await other.close();
  return {
    ends: [again.stream.last.kind, elsewhere.stream.last.kind],
    taken: asked.filter(({ body }) => body.workspace_uuid !== gone).map(({ body }) => body.workspace_uuid),
    calls: asked.length,
    output: other.helper.output,
  };
}

test.each([
  ['conversation', 4, 2],
  ['visitor', 4, 1],
])(
  'a workspace a %s that was deleted at the agent is made anew, and the question asked once',
  async (workspace, calls, made) => {
    const told = await askWithout({ PORCHLIGHT_WORKSPACE: workspace });
    expect(told.ends).toEqual(['turn-completed', 'turn-completed']);
    expect(told.taken).toHaveLength(2);
    expect(new Set(told.taken).size).toBe(made);
    // The first, the refused one, and the two that were taken.
    expect(told.calls).toBe(calls);
  },
);

test('one that the site has set is not made anew, and the log names what is wrong', async () => {
  const told = await askWithout({ PORCHLIGHT_WORKSPACE: '6a0e1f4c-9d57-4f0e-8a53-0f3c7d1e2b94' });
  expect(told.ends).toEqual(['turn-failed', 'turn-failed']);
  expect(told.taken).toEqual([]);
  expect(told.output).toContain('the agent does not have the workspace');
});

test.each(['conversation', 'visitor'])(
  'of workspaces a %s that the agent wrongly calls gone none is left there once the visitor is erased',
  async (workspace) => {
    const other = await startRig({ env: { PORCHLIGHT_WORKSPACE: workspace } });
    const there = new Set<string>();
    other.agent.override('POST /v1/bot/workspace/create', (_, response) => {
      const uuid = `workspace-${there.size}-${Math.random()}`;
      there.add(uuid);
      sendJson(response, { workspace: { uuid } }, 201);
    });
    other.agent.override('DELETE /v1/bot/workspace/delete', (call, response) => {
      there.delete(call.query.workspace_uuid ?? '');
      sendJson(response, { success: true });
    });
    other.agent.override('POST /v1/bot/chat', (_, response) =>
      sendJson(response, { error: { code: 'workspace_not_found', message: 'No such workspace.' } }, 404),
    );
    const guest = await other.visit();
    const { conversationId, stream } = await guest.chat();
    expect(stream.last.kind).toBe('turn-failed');
    for (let times = 0; times < 3; times += 1) await guest.chat(makeQuestion(), conversationId);
    expect(there.size).toBeGreaterThan(0);
    expect((await guest.call('DELETE', '/visitor')).status).toBe(204);
    await until(() => there.size === 0, 'all workspaces are deleted there');
    await other.close();
  },
);

test('deleting while the agent is away is kept for later, and the agent is told then', async () => {
  const other = await startRig({ movableClock: true });
  const guest = await other.visit();
  const { conversationId, question } = await guest.chat();
  const chatId = String(other.agent.chatsAbout(question)[0]?.body.chat_id);
  other.agent.override('DELETE /v1/bot/chat/delete', (_, response) => void response.writeHead(503).end());
  expect((await guest.call('DELETE', `/conversations/${conversationId}`)).status).toBe(204);
  expect((await guest.call('GET', `/conversations/${conversationId}`)).status).toBe(404);
  other.agent.restore('DELETE /v1/bot/chat/delete');
  await other.helper.advance(61_000);
  await until(() => !other.agent.records.has(chatId), 'the agent deletes its copy');
  await other.close();
});

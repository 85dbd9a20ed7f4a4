/** A plan whose workspaces run out: its owner hears of it before a visitor does, and by name when one does. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { sendJson, startFakeAgent } from '../support/fake-agent.ts';
import { startInside } from '../support/helper-inside.ts';
import { makeQuestion, toTurnPath } from '../support/visitor.ts';

const agent = await startFakeAgent();
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
let helper: ReturnType<typeof startInside>;
beforeEach(() => {
  vi.clearAllMocks();
  helper = startInside(agent.url, { store: createMemoryStore(), log });
});
afterEach(() => helper.stop());

async function ask(): Promise<string> {
  const path = toTurnPath(randomUUID(), randomUUID());
  const session = await helper.openSession();
  return (await helper.send(session, 'PUT', path, { text: makeQuestion() })).text();
}

test('the owner is told while visitors are still answered', async () => {
  agent.override('GET /v1/plan', (_, response) =>
    sendJson(response, {
      data: { limits: { service_workspaces: 10 }, usage: { service_workspaces: 8 } },
    }),
  );
  expect(await ask()).toContain('turn-completed');
  await vi.waitFor(() =>
    expect(log.warn).toHaveBeenCalledWith(
      { used: 8, most: 10 },
      'the plan’s workspaces are nearly used up: soon no new conversation can begin',
    ),
  );
});

test.each([
  [403, { error: { code: 'forbidden', message: 'no' } }],
  [404, { error: { code: 'endpoint_not_found', message: 'no' } }],
  [500, {}],
])('a plan that this key may not see (%i) stops nobody', async (status, body) => {
  const before = agent.callsTo('GET /v1/plan').length;
  agent.override('GET /v1/plan', (_, response) => sendJson(response, body, status));
  expect(await ask()).toContain('turn-completed');
  await vi.waitFor(() => expect(agent.callsTo('GET /v1/plan')).toHaveLength(before + 1));
  expect(await ask()).toContain('turn-completed');
  expect(log.error).not.toHaveBeenCalled();
});

test('when none is left the visitor is told that it did not work, and the log says why', async () => {
  agent.override('POST /v1/bot/workspace/create', (_, response) =>
    sendJson(response, { error: { code: 'plan_limit_reached', message: 'The plan has 10.' } }, 403),
  );
  expect(await ask()).toMatch(/turn-failed[\s\S]*"agent-refused"/);
  expect(log.error).toHaveBeenCalledWith(
    expect.objectContaining({ agentCode: 'plan_limit_reached', status: 403 }),
    'the plan’s workspaces are used up: no new conversation can begin',
  );
});

/** The plan's workspaces: the owner is told before they are used up, and the plan is not asked for it again and again. */
import { expect, test, vi } from 'vitest';
import type { AgentHttp } from '../../server-helper/agent/http.ts';
import { createAllowanceWatch, readAllowance } from '../../server-helper/agent/plan.ts';

const minute = 60_000;
const toReply = (used: number, most: number, agents?: number) => ({
  success: true,
  data: { limits: { service_workspaces: most }, usage: { service_workspaces: used, agents } },
});

function start(used: number, most: number) {
  let nowMs = 0;
  const plan = { used, most, failures: 0 };
  const call = vi.fn(async (_method: string, path: string) => {
    if (path !== '/v1/plan') throw new Error('no such path');
    plan.failures -= 1;
    if (plan.failures >= 0) throw new Error('down');
    return toReply(plan.used, plan.most);
  });
  const warn = vi.fn();
  const log = { info() {}, warn, error() {} };
  const noteMade = createAllowanceWatch({ call } as unknown as AgentHttp, log, () => nowMs);
  return {
    plan,
    warn,
    looks: () => call.mock.calls.filter(([, path]) => path === '/v1/plan').length,
    async make() {
      plan.used += 1;
      noteMade();
      await new Promise((resolve) => setTimeout(resolve));
    },
    pass(ms: number) {
      nowMs += ms;
    },
  };
}
const message = 'the plan’s workspaces are nearly used up: soon no new conversation can begin';

test('it is looked at with the first that is made, and then once an hour', async () => {
  const { make, pass, looks, warn } = start(0, 100);
  for (let n = 0; n < 10; n += 1) await make();
  expect(looks()).toBe(1);
  pass(60 * minute);
  await make();
  await make();
  expect(looks()).toBe(2);
  expect(warn).not.toHaveBeenCalled();
});

test('where those that were made since bring it near, it is looked at at once, and told, and then once a minute', async () => {
  const { make, pass, looks, warn } = start(70, 100);
  await make();
  expect(looks()).toBe(1);
  for (let n = 72; n < 80; n += 1) await make();
  expect(looks()).toBe(1);
  await make();
  await make();
  expect(looks()).toBe(2);
  expect(warn.mock.calls).toEqual([[{ used: 80, most: 100 }, message]]);
  pass(minute);
  await make();
  expect(warn.mock.calls.at(-1)).toEqual([{ used: 82, most: 100 }, message]);
});

test('the owner of a small plan hears of it before it is used up', async () => {
  const { make, warn } = start(0, 10);
  for (let n = 0; n < 9; n += 1) await make();
  expect(warn.mock.calls).toEqual([[{ used: 8, most: 10 }, message]]);
});

test('a look that fails is made again after a minute, then after two, and costs nobody more calls', async () => {
  const { make, pass, plan, looks, warn } = start(70, 100);
  plan.failures = 2;
  for (let n = 0; n < 10; n += 1) await make();
  expect(looks()).toBe(1);
  pass(minute);
  for (let n = 0; n < 5; n += 1) await make();
  expect(looks()).toBe(2);
  pass(minute);
  await make();
  expect(looks()).toBe(2);
  pass(minute);
  await make();
  expect(looks()).toBe(3);
  expect(warn.mock.calls).toEqual([[{ used: 87, most: 100 }, message]]);
});

test('what other agents of the project use is not counted', async () => {
  const read = (agents: number | undefined, list: unknown) =>
    readAllowance({
      call: async (_: string, path: string) => (path === '/v1/plan' ? toReply(10, 10, agents) : list),
    } as unknown as AgentHttp);
  expect(await read(2, { workspaces: [], pagination: { total: 3 } })).toEqual({ used: 3, most: 10 });
  expect(await read(1, {})).toEqual({ used: 10, most: 10 });
  expect(await read(undefined, undefined)).toEqual({ used: 10, most: 10 });
  expect(await read(2, {})).toBeUndefined();
});

test('an agent that does not say, says something else or cannot be asked is nothing to tell of', async () => {
  const replies: (() => unknown)[] = [
    () => undefined,
    () => [],
    () => ({ data: { limits: { service_workspaces: null }, usage: { service_workspaces: 3 } } }),
    () => ({ limits: { service_workspaces: -1 }, usage: { service_workspaces: 3 } }),
    () => ({ limits: { service_workspaces: 5 }, usage: { service_workspaces: 4 } }),
  ];
  const call = async (_: string, path: string) => (path === '/v1/plan' ? replies.shift()?.() : undefined);
  const read = () => readAllowance({ call } as unknown as AgentHttp);
  expect([await read(), await read(), await read(), await read(), await read()]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    { used: 4, most: 5 },
  ]);
  const warn = vi.fn();
  const failing = { call: () => Promise.reject(new Error('down')) } as unknown as AgentHttp;
  createAllowanceWatch(failing, { info() {}, warn, error() {} }, () => 0)();
  await new Promise((resolve) => setTimeout(resolve));
  expect(warn).not.toHaveBeenCalled();
});

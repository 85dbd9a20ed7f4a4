/** The plan's workspaces: the owner is told before they are used up, and the plan is not asked for it again and again. */
import { expect, test, vi } from 'vitest';
import type { AgentHttp } from '../../server-helper/agent/http.ts';
import { createAllowanceWatch, readAllowance } from '../../server-helper/agent/plan.ts';

const minute = 60_000;
const toReply = (used: number, most: number) => ({
  success: true,
  data: { limits: { service_workspaces: most }, usage: { service_workspaces: used } },
});

function start(used: number, most: number) {
  let nowMs = 0;
  const plan = { used, most };
  const call = vi.fn(async () => toReply(plan.used, plan.most));
  const warn = vi.fn();
  const log = { info() {}, warn, error() {} };
  const noteMade = createAllowanceWatch({ call } as unknown as AgentHttp, log, () => nowMs);
  return {
    call,
    warn,
    async make() {
      plan.used += 1;
      noteMade();
      await Promise.resolve();
      await new Promise((resolve) => setTimeout(resolve));
    },
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

test('it is looked at with the first that is made, and then once an hour', async () => {
  const { make, pass, call, warn } = start(0, 100);
  for (let n = 0; n < 10; n += 1) await make();
  expect(call).toHaveBeenCalledTimes(1);
  pass(60 * minute);
  await make();
  await make();
  expect(call).toHaveBeenCalledTimes(2);
  expect(warn).not.toHaveBeenCalled();
});

test('where those that were made since bring it near, it is looked at again, once a minute, and told', async () => {
  const { make, pass, call, warn } = start(70, 100);
  await make();
  expect(call).toHaveBeenCalledTimes(1);
  pass(minute);
  for (let n = 72; n < 80; n += 1) await make();
  expect(call).toHaveBeenCalledTimes(1);
  await make();
  await make();
  expect(call).toHaveBeenCalledTimes(2);
  const message = 'the plan’s workspaces are nearly used up: soon no new conversation can begin';
  expect(warn.mock.calls).toEqual([[{ used: 80, most: 100 }, message]]);
  pass(minute);
  await make();
  expect(warn.mock.calls.at(-1)).toEqual([{ used: 82, most: 100 }, message]);
});

test('an agent that does not say, says something else or cannot be asked is nothing to tell of', async () => {
  const replies: (() => unknown)[] = [
    () => undefined,
    () => [],
    () => ({ data: { limits: { service_workspaces: null }, usage: { service_workspaces: 3 } } }),
    () => ({ limits: { service_workspaces: 5 }, usage: { service_workspaces: 4 } }),
  ];
  const read = () => readAllowance({ call: async () => replies.shift()?.() } as unknown as AgentHttp);
  expect([await read(), await read(), await read(), await read()]).toEqual([
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

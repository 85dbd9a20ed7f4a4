/** A tool of the site's own backend: whose values fit, how long it may take, how often it runs. */
import { afterEach, expect, test, vi } from 'vitest';
import { createMemoryStore } from '../../server-helper/store/memory.ts';
import { readTools, type SiteTool } from '../../server-helper/tools/option.ts';
import { createSiteTools } from '../../server-helper/tools/running.ts';

afterEach(() => {
  vi.useRealTimers();
});

const guest = { kind: 'anonymous', member: false } as const;
const pauseOf = (parameters?: Record<string, unknown>, executionId = 'exec_1_a') => ({
  executionId,
  tool: { name: 'order_status', ...(parameters && { parameters }) },
});

function open(tool: Partial<SiteTool> & Pick<SiteTool, 'run'>, store = createMemoryStore()) {
  const warn = vi.fn();
  const given = { description: 'Looks an order up', parameters: { type: 'object' }, ...tool };
  const tools = createSiteTools(readTools('tools', { order_status: given }), {
    store,
    bot: 'bot-1',
    log: { info() {}, warn, error() {} },
  });
  return { tools, warn };
}

function start(...given: Parameters<typeof open>) {
  const { tools, warn } = open(...given);
  const found = tools.find(pauseOf())!;
  return {
    warn,
    run: (pause = pauseOf(), signal = new AbortController().signal, chatId = 'chat-1') =>
      tools.run(found, pause, { chatId } as never, guest, {
        gone: signal,
        mayBegin: async () => true,
        onBegun() {},
      }),
    refuse: (parameters?: Record<string, unknown>) => tools.refuse(found, pauseOf(parameters), guest),
  };
}

test('what is given stands as JSON', async () => {
  const at = new Date(0);
  const { run } = start({ run: () => ({ at, none: undefined, list: [Number.NaN] }) });
  expect(await run()).toEqual({ ok: true, result: { at: '1970-01-01T00:00:00.000Z', list: [null] } });
  const { run: silent } = start({ run: () => undefined });
  expect(await silent()).toEqual({ ok: true, result: null });
});

test('up to 64 KB of it, in bytes', async () => {
  const most = 64 * 1024 - 2;
  const fits = start({ run: () => 'x'.repeat(most) });
  expect(await fits.run()).toMatchObject({ ok: true });
  const over = start({ run: () => `${'x'.repeat(most - 1)}é` });
  expect(await over.run()).toEqual({ ok: false, result: { error: 'The tool failed.' } });
  expect(over.warn).toHaveBeenCalledOnce();
});

test('it is let go after ten seconds, and its signal aborts', async () => {
  vi.useFakeTimers();
  let signal: AbortSignal | undefined;
  const { run, warn } = start({
    run: (_values, _visitor, given) => {
      signal = given;
      return new Promise(() => {});
    },
  });
  const running = run();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(signal?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await running).toEqual({ ok: false, result: { error: 'The tool took too long.' } });
  expect(signal?.aborted).toBe(true);
  expect(warn).toHaveBeenCalledWith(
    { reason: 'it took longer than 10 s', tool: 'order_status' },
    'a tool failed',
  );
});

test('its time is not taken from the next one, nor is a timer left behind', async () => {
  vi.useFakeTimers();
  const { run } = start({ run: () => 1 });
  await run();
  expect(vi.getTimerCount()).toBe(0);
});

test('one execution is run once, also by another process on the same store', async () => {
  const store = createMemoryStore();
  const runs = vi.fn(() => 1);
  const results = await Promise.all([1, 2, 3, 4].map(() => start({ run: runs }, store).run()));
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  expect(runs).toHaveBeenCalledOnce();
  const { run } = start({ run: runs }, store);
  await run(pauseOf({}, 'exec_2_b'));
  await run(pauseOf(), undefined, 'chat-2');
  expect(runs).toHaveBeenCalledTimes(3);
});

test('values that cannot be held to it fail the tool, and not the answer', async () => {
  const { tools, warn } = open({ run: () => 1 });
  const found = tools.find(pauseOf())!;
  const refuse = () => {
    throw new Error('Unresolved $ref');
  };
  expect(tools.refuse({ ...found, refuse }, pauseOf({}), guest)).toEqual({
    ok: false,
    result: { error: 'The tool failed.' },
  });
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ tool: 'order_status' }), 'a tool failed');
});

test('values that are too large are not looked at', () => {
  const { refuse } = start({
    parameters: { type: 'object', properties: { list: { type: 'array', maxItems: 3 } } },
    run: () => 1,
  });
  expect(refuse({ list: ['x'.repeat(64 * 1024)] })).toEqual({
    ok: false,
    result: { error: 'parameters: too large' },
  });
  expect(refuse({ list: ['é'.repeat(63 * 1024)] })).toMatchObject({
    result: { error: 'parameters: too large' },
  });
  expect(refuse({ list: ['x'.repeat(63 * 1024)] })).toBeUndefined();
});

test('a definition that leads to one of the same name in the other list is not round', () => {
  const { refuse } = start({
    parameters: {
      type: 'object',
      properties: { size: { $ref: '#/$defs/size' } },
      $defs: { size: { $ref: '#/definitions/size' } },
      definitions: { size: { type: 'number' } },
    },
    run: () => 1,
  });
  expect(refuse({ size: 1 })).toBeUndefined();
  expect(refuse({ size: 'one' })).toMatchObject({ ok: false });
});

test('definitions that each refer to the next one twice are looked at once', () => {
  const next = (n: number) => ({ $ref: `#/$defs/d${n}` });
  const $defs = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [`d${n}`, { properties: { a: next(n + 1), b: next(n + 1) } }]),
  );
  const { refuse } = start({
    parameters: {
      ...{ type: 'object', properties: { d: next(0) } },
      $defs: { ...$defs, d60: { type: 'number' } },
    },
    run: () => 1,
  });
  expect(refuse({ d: { a: { b: {} } } })).toBeUndefined();
});

test('what is thrown says its name and its place in the log, and nothing of what it quotes', async () => {
  const thrown: unknown[] = [
    new Error('bad value:\n  at Jane Doe, 4 Elm Street'),
    Object.assign(new Error('x'), { name: { secret: 'hunter2' } }),
    Object.defineProperty(new Error('x'), 'name', {
      get() {
        throw new Error('no');
      },
    }),
    new TypeError('no such order'),
    new Proxy(new Error('hunter2'), {
      getPrototypeOf() {
        throw new Error('no');
      },
    }),
  ];
  for (const error of thrown) {
    const { run, warn } = start({
      run: () => {
        throw error;
      },
    });
    expect(await run()).toEqual({ ok: false, result: { error: 'The tool failed.' } });
    const [fields] = warn.mock.calls[0]!;
    expect(JSON.stringify(fields)).not.toMatch(/Elm|hunter2|no such order/);
    expect(fields.tool).toBe('order_status');
  }
  const { run, warn } = start({
    run: () => {
      throw thrown[3];
    },
  });
  await run();
  expect(warn.mock.calls[0]![0]).toMatchObject({
    error: 'TypeError',
    at: expect.stringContaining('site-tools.test.ts'),
  });
});

test('it does not run where the store cannot say that it has not', async () => {
  const store = createMemoryStore();
  vi.spyOn(store, 'remember').mockRejectedValue(new Error('locked'));
  const runs = vi.fn();
  const { run, warn } = start({ run: runs }, store);
  expect(await run()).toEqual({ ok: false, result: { error: 'The tool could not be run.' } });
  expect(runs).not.toHaveBeenCalled();
  expect(warn).toHaveBeenCalledWith(
    expect.objectContaining({ tool: 'order_status' }),
    'a tool was not run: the store does not answer',
  );
});

test('it may change its values, which are nobody else’s', async () => {
  const pause = pauseOf({ list: [1] });
  const { run } = start({
    run: (values) => {
      (values.list as number[]).push(2);
      return values;
    },
  });
  expect(await run(pause)).toEqual({ ok: true, result: { list: [1, 2] } });
  expect(pause.tool.parameters).toEqual({ list: [1] });
});

test('its parameters are a JSON Schema, and what does not fit is named by where it stands', () => {
  const { refuse } = start({
    parameters: {
      type: 'object',
      properties: {
        email: { type: 'string', maxLength: 5 },
        items: { type: 'array', items: { type: 'number' } },
      },
      required: ['email'],
      additionalProperties: false,
    },
    run: () => 1,
  });
  const errorOf = (parameters?: Record<string, unknown>) =>
    (refuse(parameters)?.result as { error?: string } | undefined)?.error;
  expect(errorOf({ email: 'a@b', items: [1] })).toBeUndefined();
  expect(errorOf()).toMatch(/^parameters: .*email/);
  expect(errorOf({ email: 'a@long' })).toMatch(/^email: /);
  expect(errorOf({ email: 'a', items: ['1'] })).toMatch(/^items\/0: /);
  expect(errorOf({ email: 'a', more: 1 })).toContain('more');
});

/** What a page makes of an answer before it is shown. */
import { expect, test, vi } from 'vitest';
import { createDisplay } from '../../widget/state/display.ts';
import { createAnswer } from '../../widget/state/turn.ts';

const sources = [
  { id: 's1', type: 'webpage', number: 1, title: 'A page', url: 'https://one.example/' },
] as const;
const whole = { ...createAnswer('t1', 'completed'), text: 'Ask Ada.', sources };

test('the page is asked once for each state of an answer, and told whether it is whole', () => {
  const change = vi.fn(({ text }: { text: string }) => text.toUpperCase());
  const display = createDisplay(change);
  const half = { ...whole, status: 'writing', text: 'Ask' } as const;
  expect([half, half, whole].map((one) => display(one)?.text)).toEqual(['ASK', 'ASK', 'ASK ADA.']);
  expect(change.mock.calls).toEqual([
    [{ turnId: 't1', text: 'Ask', isWhole: false }],
    [{ turnId: 't1', text: 'Ask Ada.', isWhole: true }],
  ]);
  // The same object each time, so that nothing is drawn anew.
  expect(display(whole)).toBe(display(whole));
  expect(whole.text).toBe('Ask Ada.');
});

test.each([null, '', ' \n'])(
  '%j hides an answer, but not how it ended or what the agent waits for',
  (shown) => {
    const display = createDisplay(() => shown);
    expect(display(whole)).toBeUndefined();
    for (const status of ['writing', 'paused', 'stopped', 'failed'] as const)
      expect(display({ ...whole, status })).toMatchObject({ status, text: '', sources: [] });
  },
);

test('without words there is nothing to ask about', () => {
  const change = vi.fn(() => null);
  const waiting = createAnswer('t1', 'sending');
  expect(createDisplay(change)(waiting)).toBe(waiting);
  expect(change).not.toHaveBeenCalled();
});

test.each([
  ['nothing', (): undefined => undefined, 0],
  ['no text', () => 7 as never, 1],
  ['a promise', () => Promise.resolve('later') as never, 1],
] as const)(
  'a function that gives %s leaves the answer as it is, which is told where it is a mistake',
  (_, change, told) => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(createDisplay(change)(whole)).toBe(whole);
    expect(error).toHaveBeenCalledTimes(told);
    error.mockRestore();
  },
);

test('a function that fails is told on the console, and the answer is shown', () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  const display = createDisplay(() => {
    throw new Error('no');
  });
  expect(display(whole)).toBe(whole);
  display({ ...whole });
  expect(error).toHaveBeenCalledTimes(1);
  expect(error).toHaveBeenCalledWith(
    'Porchlight: onBeforeDisplay got a function that failed:',
    new Error('no'),
  );
  error.mockRestore();
});

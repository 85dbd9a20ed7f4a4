/** What a page says about who is there: read, limited in time, and known again without being kept. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { verifySsoToken } from '../../server-helper/auth/sso.ts';
import { signSsoToken } from '../../server-helper/mint.ts';
import { toHash, toSubject } from '../../widget/state/subject.ts';
import { makeUuid } from '../../widget/state/uuid.ts';
import { askPage, readToken } from '../../widget/transport/token.ts';

const secret = 'a secret of the test with 32 bytes or more';

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test.each([
  { email: 'ada@shop.example' },
  { email: 'ADA@Shop.Example' },
  { email: 'åda@shop.example', name: 'Åda' },
  { email: 'ada@shop.example', externalId: 'customer-1001' },
  { email: 'ada@shop.example', externalId: 'größe' },
])('the widget knows %o again as the helper does, and keeps no word of it', async (customer) => {
  const token = await signSsoToken(customer, secret);
  const rules = { secrets: [secret], audience: 'b', issuer: undefined };
  const { owner } = await verifySsoToken(token, rules, Date.now() / 1000);
  expect(toSubject(token)).toBe(toHash(owner));
  expect(toSubject(token)).toMatch(/^[0-9a-z]{4,14}$/);
});

test('what is no token has no subject', () => {
  for (const text of ['', 'x', 'a.b.c', 'e30.e30.e30']) expect(toSubject(text)).toBeUndefined();
});

describe('a page’s function', () => {
  test('may answer at once or later, and with nothing', async () => {
    expect(await askPage(() => 'token')).toBe('token');
    expect(await askPage(async () => null)).toBeUndefined();
    expect(await askPage(() => '')).toBeUndefined();
    expect(console.error).not.toHaveBeenCalled();
  });

  test('that throws is heard', async () => {
    await expect(
      askPage(() => {
        throw new Error('the page’s own');
      }),
    ).rejects.toThrow('the page’s own');
  });

  test('that does not answer within 10 s is given up', async () => {
    vi.useFakeTimers();
    const asked = askPage(() => new Promise(() => {}));
    const late = expect(asked).rejects.toThrow('No answer in 10 s');
    await vi.advanceTimersByTimeAsync(10_000);
    await late;
  });

  test('that gives something else than a string is told, and is taken for nobody', () => {
    for (const value of [5, true, {}, { token: 'x' }]) expect(readToken(value)).toBeUndefined();
    expect(console.error).toHaveBeenCalledTimes(4);
  });
});

test('a UUID is version 4, and never the same', () => {
  const made = Array.from({ length: 1_000 }, makeUuid);
  for (const id of made)
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(new Set(made).size).toBe(1_000);
});

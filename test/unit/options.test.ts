/** Options: a helper that starts can answer; a mistake is told at the start, by its name and never by its value. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Dispatch } from '../../server-helper/agent/http.ts';
import { type HelperOptions, readOptions } from '../../server-helper/config.ts';
import { createHelper } from '../../server-helper/handler.ts';
import { good, secret, tried } from '../support/option-values.ts';

const cases = (which: 'wrong' | 'right') =>
  Object.entries(tried).flatMap(([name, values]) =>
    values[which].map((value) => [name, toShown(value), value] as const),
  );

function toShown(value: unknown): string {
  return typeof value === 'object'
    ? (JSON.stringify(value)?.slice(0, 60) ?? '')
    : String(JSON.stringify(value) ?? value);
}
function readChanged(name: string, value: unknown) {
  return readOptions({ ...good, [name]: value } as HelperOptions);
}
function catchMessage(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as TypeError).message;
  }
  throw new Error('it was taken');
}

describe('a helper that starts can answer', () => {
  test.each(cases('wrong'))('%s: %s is refused by its name, and its value is not told', (name, _, value) => {
    const message = catchMessage(() => readChanged(name, value));
    expect(message).toMatch(new RegExp(`^${name}[.\\w]* (must|is) .{5,}`));
    if (typeof value === 'string' && value.trim().length > 8) expect(message).not.toContain(value.trim());
  });

  test.each(cases('right'))('%s: %s is taken', (name, _, value) => {
    expect(() => readChanged(name, value)).not.toThrow();
  });

  test('identity "required" without an SSO secret would keep everybody out', () => {
    expect(() => readOptions({ ...good, identity: 'required' })).toThrowError(/^ssoSecret is missing/);
    expect(readOptions({ ...good, identity: 'required', ssoSecret: secret }).identity).toBe('required');
  });

  test('an option that does not exist is not taken for none', () => {
    const misspelt = { ...good, ssoSecrets: [secret] } as HelperOptions;
    expect(() => readOptions(misspelt)).toThrowError(/^ssoSecrets is not an option/);
  });

  test('whatever a key or an id holds, the start is refused or every call to the agent can be made', async () => {
    const near = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ maxLength: 12 }),
      fc.constantFrom('key\n', '\tkey', 'a b', 'key\u007f'),
    );
    let started = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('apiKey' as const, 'projectId' as const, 'botId' as const),
        near,
        async (name, value) => {
          const sent: Request[] = [];
          const dispatch: Dispatch = ({ url, ...init }, { onError }) => {
            // What cannot travel throws here, as it would in fetch and over sockets.
            sent.push(new Request(url, { ...init, body: init.body ?? null }));
            onError();
            return { abort() {} };
          };
          let helper: ReturnType<typeof createHelper>;
          try {
            helper = createHelper({ ...good, [name]: value }, { dispatch });
          } catch (error) {
            expect((error as TypeError).message).toMatch(new RegExp(`^${name} `));
            return;
          }
          started += 1;
          const request = new Request('https://shop.test/porchlight/session', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{}',
          });
          expect((await helper.fetch(request)).status).toBe(200);
          expect(sent.length).toBe(1);
          if (name === 'apiKey') expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${value}`);
          await helper.close(0);
        },
      ),
      { numRuns: 300, seed: 11 },
    );
    expect(started).toBeGreaterThan(50);
  });
});

test('the message never holds the secret', () => {
  expect(() => readOptions({ ...good, ssoSecret: 'hunter2-hunter2' })).toThrowError(
    expect.objectContaining({ message: expect.not.stringContaining('hunter2') as string }),
  );
});

test('defaults are the ones of the README', () => {
  expect(readOptions(good)).toMatchObject({
    basePath: '/porchlight',
    identity: 'optional',
    workspace: 'conversation',
    retentionDays: 90,
    trustedProxies: 0,
    limited: true,
    origins: undefined,
    reasoningModes: ['auto'],
  });
});

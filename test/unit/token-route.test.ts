/** The address that gives a page its visitor's token: the right one, none for nobody, and never none by mistake. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { verifySsoToken } from '../../server-helper/auth/sso.ts';
import { signSsoToken, tokenRoute } from '../../server-helper/index.ts';
import type { LogFields } from '../../server-helper/log.ts';
import { tokenListener } from '../../server-helper/node.ts';

const secret = 'a secret of the test with 32 bytes or more';
const ada = { email: 'ada@shop.example', name: 'Ada', externalId: '1001' };
const read = (token: unknown, issuer?: string) =>
  verifySsoToken(String(token), { secrets: [secret], audience: 'b', issuer }, Date.now() / 1000);

afterEach(() => vi.unstubAllEnvs());

function hear() {
  const heard: [LogFields, string][] = [];
  const log = {
    info() {},
    warn() {},
    error: (fields: LogFields, message: string) => void heard.push([fields, message]),
  };
  return { log, heard };
}

test('whoever the site says is signed in gets a token, which nobody keeps', async () => {
  const route = tokenRoute(async (name: string) => (name === 'ada' ? ada : null), { secret });
  const reply = await route('ada');
  expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const { token } = (await reply.json()) as { token: string };
  expect(await read(token)).toEqual({ owner: 'external:1001', email: ada.email, name: 'Ada' });
  expect(await (await route('nobody')).json()).toEqual({ token: null });
  expect(await (await tokenRoute(() => undefined, { secret })(0)).json()).toEqual({ token: null });
});

test('the secret and the issuer are those of the environment, unless they are given', async () => {
  vi.stubEnv('PORCHLIGHT_SSO_SECRET', `${secret}, an older one that is long enough as well`);
  vi.stubEnv('PORCHLIGHT_SSO_ISSUER', 'https://shop.example');
  const { token } = (await (await tokenRoute(() => ada)(0)).json()) as { token: string };
  expect((await read(token, 'https://shop.example')).email).toBe(ada.email);
  const other = (await (await tokenRoute(() => ada, { issuer: 'https://b.example' })(0)).json()) as {
    token: string;
  };
  expect((await read(other.token, 'https://b.example')).email).toBe(ada.email);
});

test.each<[string, () => typeof ada, string | undefined, LogFields]>([
  [
    'the look-up fails',
    () => {
      throw new RangeError(`no session of ${ada.email}`);
    },
    secret,
    { error: 'RangeError', at: expect.any(String) as unknown as string },
  ],
  [
    'the customer has no address',
    () => ({ ...ada, email: '' }),
    secret,
    { reason: expect.stringMatching(/^email must be/) as unknown as string },
  ],
  ['there is no secret', () => ada, undefined, { reason: 'PORCHLIGHT_SSO_SECRET is missing' }],
])('where %s the page is told no token, and not that nobody is there', async (_, getUser, key, fields) => {
  vi.stubEnv('PORCHLIGHT_SSO_SECRET', '');
  const { log, heard } = hear();
  const reply = await tokenRoute(getUser, { ...(key !== undefined && { secret: key }), log })(0);
  expect(reply.status).toBe(500);
  await expect(reply.json()).rejects.toThrow(SyntaxError);
  expect(heard).toEqual([[fields, 'a page was given no token']]);
  expect(JSON.stringify(heard)).not.toContain('ada');
});

test.each([
  [{ secret: 'short' }, /^secret must be a string of at least 32 bytes/],
  [{ secret: '' }, /^secret/],
  [{ secret: [secret] as unknown as string }, /^secret/],
  [{ secret, expiresInSeconds: 7200 }, /^expiresInSeconds must be from 1 to 3600/],
  [{ secret, issuer: ' a' }, /^issuer must be/],
  [{ ssoSecret: secret } as object, /^ssoSecret is not an option of tokenRoute/],
])('an option that is wrong is refused at once: %j', (options, fault) => {
  expect(() => tokenRoute(() => ada, options)).toThrow(fault);
});

test('an error whose stack is no text is logged all the same', async () => {
  const { log, heard } = hear();
  const failing = () => {
    throw Object.defineProperty(new Error('x'), 'stack', { value: [] });
  };
  expect((await tokenRoute(failing, { secret, log })(0)).status).toBe(500);
  expect(heard).toEqual([[{ error: 'Error', at: undefined }, 'a page was given no token']]);
});

test('a customer may be an object of a class, whose fields are accessors', async () => {
  class Customer {
    #row = { email: ada.email, name: ada.name, id: '1001' };
    get email() {
      return this.#row.email;
    }
    get name() {
      return this.#row.name;
    }
    get externalId() {
      return this.#row.id;
    }
  }
  const reply = await tokenRoute(() => new Customer(), { secret })(0);
  const { token } = (await reply.json()) as { token: string };
  expect(await read(token)).toEqual({ owner: 'external:1001', email: ada.email, name: 'Ada' });
});

test('a row with the id under the claim’s own name makes no token without the id', async () => {
  const row = { email: ada.email, external_id: '1001' };
  const { log, heard } = hear();
  expect((await tokenRoute(() => row, { secret, log })(0)).status).toBe(500);
  expect(heard[0]?.[0]).toEqual({
    reason: 'external_id is the name in the token: give it as externalId',
  });
  await expect(signSsoToken(row, secret)).rejects.toThrow(/^external_id is/);
});

test('what is no object is told to the developer without its words', async () => {
  const { log, heard } = hear();
  const asText = (() => ada.email) as unknown as () => typeof ada;
  expect((await tokenRoute(asText, { secret, log })(0)).status).toBe(500);
  const asGetter = () =>
    Object.defineProperty({ ...ada }, 'email', {
      get() {
        throw new Error(`no row of ${ada.email}`);
      },
    });
  expect((await tokenRoute(asGetter, { secret, log })(0)).status).toBe(500);
  expect(heard.map(([fields]) => fields)).toEqual([
    { reason: 'the visitor must be an object with email, or null' },
    { error: 'Error', at: expect.any(String) as unknown as string },
  ]);
  expect(JSON.stringify(heard)).not.toContain(ada.email);
  expect(() => tokenRoute({} as never)).toThrow('getUser must be a function');
});

test('one whose look-up outlasts the site’s own time limit ends nothing', async () => {
  let look = () => {};
  const looked = new Promise<void>((resolve) => {
    look = resolve;
  });
  const listener = tokenListener(() => looked.then(() => ada), { secret });
  let answered: Promise<void> | undefined;
  const server = createServer((request, response) => {
    answered = listener(request, response);
    response.writeHead(503).end('too slow');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(reply.status).toBe(503);
  look();
  await expect(answered).resolves.toBeUndefined();
  await new Promise((resolve) => server.close(resolve));
});

test('on Node the same, as a listener', async () => {
  const server = createServer(
    tokenListener(({ headers }) => (headers.cookie === 'ada' ? ada : null), { secret }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reply = await fetch(url, { headers: { cookie: 'ada' } });
  expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect((await read(((await reply.json()) as { token: string }).token)).name).toBe('Ada');
  expect(await (await fetch(url)).json()).toEqual({ token: null });
  await new Promise((resolve) => server.close(resolve));
});

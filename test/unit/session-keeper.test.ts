// @vitest-environment happy-dom
/** A call that is one visitor's alone is not made as the next one, though that one was this guest until now. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemory } from '../../widget/state/memory.ts';
import { createSessionKeeper, type SessionState } from '../../widget/transport/session.ts';

const toJwt = (claims: object) => `e30.${btoa(JSON.stringify(claims))}.e30`;
const ada = toJwt({ email: 'ada@shop.test', iat: 1 });

let asked: string[];
let shown: SessionState | undefined;
/** What the helper does when it is told to delete. */
let onDelete: (subject: string) => Promise<number>;

function start() {
  const hooks = {
    isOpen: () => true,
    isShown: () => true,
    drop() {},
    publish: (session: SessionState) => {
      shown = session;
    },
    refuse() {},
    resume() {},
    veil() {},
  };
  const tabs = { tell() {}, close() {} };
  const memory = createMemory('test');
  return createSessionKeeper({ helper: 'https://shop.test/porchlight', memory, tabs, hooks, readAt: 1 });
}

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  asked = [];
  vi.stubGlobal('fetch', async (url: string, { method, headers, body }: RequestInit) => {
    if (String(url).endsWith('/session')) {
      const sub = JSON.parse(String(body)).ssoToken ? 'email:ada@shop.test' : 'anonymous:1';
      const visitor = { kind: sub.startsWith('email') ? 'identified' : 'anonymous', member: false };
      return Response.json({ session: toJwt({ sub }), visitor, agent: {}, allowed: {} });
    }
    const [, claims = ''] = new Headers(headers).get('authorization')!.split('.');
    const { sub } = JSON.parse(atob(claims));
    asked.push(`${method} ${sub}`);
    const status = await onDelete(sub);
    return status === 204
      ? new Response(null, { status })
      : Response.json({ code: 'unauthenticated', status }, { status });
  });
});
afterEach(() => vi.unstubAllGlobals());

test.each([
  ['of the guest alone', true, ['DELETE anonymous:1']],
  ['of whoever is there', false, ['DELETE anonymous:1', 'DELETE email:ada@shop.test']],
])('%s: a guest who signs in while the call is under way', async (_, isBound, expected) => {
  const keeper = start();
  keeper.open();
  await vi.waitFor(() => expect(shown?.visitor.kind).toBe('anonymous'));
  onDelete = async (subject) => {
    if (subject !== 'anonymous:1') return 204;
    keeper.say(ada, Date.now());
    await vi.waitFor(() => expect(shown?.visitor.kind).toBe('identified'));
    return 401;
  };
  const call = keeper.call({ method: 'DELETE', path: '/visitor' }, isBound ? shown?.subject : undefined);
  if (isBound) await expect(call).rejects.toMatchObject({ code: 'aborted' });
  else expect((await call).status).toBe(204);
  expect(asked).toEqual(expected);
  keeper.close();
  shown = undefined;
});

test('a sign-out that is told before the storage shows it leaves nothing of the guest whose token was refused', async () => {
  const offered: unknown[] = [];
  const usual = fetch;
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const { ssoToken, session } = JSON.parse(String(init.body));
    offered.push(session);
    if (ssoToken) return Response.json({ code: 'sso-token-invalid', status: 401 }, { status: 401 });
    return usual(url, init);
  });
  const keeper = start();
  keeper.say(ada, Date.now() - 10);
  keeper.open();
  await vi.waitFor(() => expect(shown?.guestReason).toBe('token-refused'));
  // Another tab's page says that nobody is there; what it has stored is not to be read here yet.
  keeper.happen({ what: 'told', who: undefined, ask: false, at: Date.now() });
  shown = undefined;
  keeper.open();
  await vi.waitFor(() => expect(shown).toBeDefined());
  expect(offered.at(-1)).toBeUndefined();
  keeper.close();
});

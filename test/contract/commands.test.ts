/** `porchlight check` names each fault that was planted, with what mends it, and finds nothing in a sound set-up; `porchlight token`. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { verifySsoToken } from '../../server-helper/auth/sso.ts';
import { sendJson } from '../support/fake-agent.ts';
import { type Environment, secrets, spawnHelper, startHelper, target } from '../support/helper-process.ts';
import { startRig } from '../support/rig.ts';

const rig = await startRig();
afterAll(() => rig.close());

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});
async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** @returns what it wrote, and its exit code; no secret is ever in it */
async function run(command: readonly string[], agentUrl: string, env: Environment = {}) {
  const process = spawnHelper({ agentUrl, env, command });
  const { code } = await process.exited;
  await process.close();
  return { code, output: process.output };
}

const reply =
  (status: number, body: unknown, headers = {}): RequestListener =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));

describe('check finds', () => {
  test('https where the agent speaks plain http', async () => {
    const url = (await listen(reply(200, {}))).replace('http:', 'https:');
    const { code, output } = await run(['check'], url);
    expect([code, output]).toEqual([1, expect.stringMatching(/speaks no https .*http:\/\//)]);
    expect(output).not.toContain('certificate');
  });

  test('nothing in a sound set-up, and exits with 0', async () => {
    const origins = { PORCHLIGHT_ORIGINS: 'https://shop.example' };
    const { code, output } = await run(['check'], rig.agent.url, origins);
    expect([code, output]).toEqual([0, expect.stringContaining('Nothing is wrong.')]);
    expect(output).not.toContain('WRONG');
    expect(output).toMatch(/ok {4}agent: 127\.0\.0\.1:\d+ answers/);
    expect(output).toContain('ok    origins: https://shop.example');
  });

  test.each([
    [79, {}, 0, undefined],
    [80, {}, 0, /note {2}workspaces: 80 of the plan’s 100 for visitors are used, and each new conversation/],
    [100, {}, 1, /WRONG workspaces: 100 of .* or keep fewer \(PORCHLIGHT_WORKSPACE/],
    [80, { PORCHLIGHT_WORKSPACE: 'visitor' }, 0, /each new visitor takes one/],
    [100, { PORCHLIGHT_WORKSPACE: '6f1f3a54-6c4b-4f57-9a0e-1f2f3d4c5b6a' }, 0, undefined],
  ])('how many workspaces are left: %i of 100 used, with %o', async (used, env, exit, words) => {
    const plan = { limits: { service_workspaces: 100 }, usage: { service_workspaces: used } };
    const url = await listen(reply(200, { data: plan }));
    const { code, output } = await run(['check'], url, env as Environment);
    expect(code).toBe(exit);
    if (words) expect(output).toMatch(words);
    else expect(output).not.toContain('workspaces:');
    // Which all visitors have together, and may read each other's words in.
    const isShared = JSON.stringify(env).includes('6f1f');
    expect(output.includes('note  workspace: all visitors share one')).toBe(isShared);
  });

  const day = 24 * 3600_000;
  test.each<[string, RequestListener | string, RegExp]>([
    [
      'nothing that listens',
      'http://127.0.0.1:9',
      /nothing listens at 127\.0\.0\.1:9: .*PORCHLIGHT_AGENT_URL/,
    ],
    [
      'no such machine',
      'https://agent.invalid',
      /no machine is called agent\.invalid|agent\.invalid cannot be reached/,
    ],
    [
      'a wrong key',
      reply(401, { error: { code: 'invalid_api_key' } }),
      /does not take the key \(invalid_api_key\): PORCHLIGHT_API_KEY/,
    ],
    ['nothing paid', reply(402, {}), /nothing is paid for/],
    ['another project’s key', reply(403, {}), /PORCHLIGHT_PROJECT_ID/],
    ['no such path', (_, response) => void response.writeHead(404).end('<html>'), /without \/v1/],
    [
      'no such bot',
      reply(404, { error: { code: 'bot_not_found' } }),
      /does not know this agent: .*PORCHLIGHT_BOT_ID/,
    ],
    [
      'no such project',
      reply(404, { error: 'No such project' }),
      /does not know this agent: PORCHLIGHT_PROJECT_ID/,
    ],
    [
      'an address that sends calls on',
      reply(301, {}, { location: 'https://agent.example/' }),
      /sends calls on to another address \(301\): PORCHLIGHT_AGENT_URL/,
    ],
    ['an agent that fails', reply(500, {}), /answered 500: look at its own log/],
    [
      'a web page',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /not in JSON/,
    ],
    [
      'a clock that is late',
      reply(200, { name: 'June' }, { date: new Date(Date.now() + day).toUTCString() }),
      /WRONG clock: this machine’s is \d+ s behind/,
    ],
  ])('%s', async (_, agent, expected) => {
    const url = typeof agent === 'string' ? agent : await listen(agent);
    const { code, output } = await run(['check'], url);
    expect([code, output]).toEqual([1, expect.stringMatching(expected)]);
    expect(output).toMatch(/\d to mend\./);
  });

  test.each<[string, Environment, RegExp]>([
    [
      'a variable that is misspelt',
      { PORCHLIGHT_ORIGIN: 'https://a.example' },
      /did you mean PORCHLIGHT_ORIGINS/,
    ],
    [
      'a sign-in that nobody can do',
      { PORCHLIGHT_IDENTITY: 'required', PORCHLIGHT_SSO_SECRET: '' },
      /PORCHLIGHT_SSO_SECRET/,
    ],
    ['a wrong option', { PORCHLIGHT_IDENTITY: 'maybe' }, /PORCHLIGHT_IDENTITY must/],
  ])('%s', async (_, env, expected) => {
    const { code, output } = await run(['check'], rig.agent.url, env);
    expect([code, output]).toEqual([1, expect.stringMatching(expected)]);
  });

  test.each<[string, RequestListener | undefined, RegExp]>([
    [
      'an address where nobody is',
      undefined,
      /WRONG address: http:.* cannot be reached from here \(econnrefused\)/,
    ],
    ['another server', reply(200, {}), /is answered with 200, and not by the helper/],
    ['a proxy alone', reply(502, {}), /is answered with 502 by a proxy that reaches no helper/],
  ])('%s', async (_, listener, expected) => {
    const url = await listen(listener ?? (() => {}));
    if (!listener) await new Promise((resolve) => servers.pop()!.close(resolve));
    const { code, output } = await run(['check', '--ask', '--url', url], rig.agent.url);
    expect([code, output]).toEqual([1, expect.stringMatching(expected)]);
    // Nobody is there to be asked: that is one fault, not two.
    expect(output).toMatch(/\n1 to mend\.\n$/);
  });

  test('a proxy that takes the path off', async () => {
    const helper = await startHelper({ agentUrl: rig.agent.url });
    const proxy = await listen(async (request, response) => {
      const { status, headers, body } = await fetch(helper.origin + request.url!.replace('/porchlight', ''));
      response.writeHead(status, Object.fromEntries(headers));
      response.end(body && Buffer.from(await new Response(body).arrayBuffer()));
    });
    const { code, output } = await run(['check', '--ask', '--url', `${proxy}/porchlight`], rig.agent.url);
    await helper.close();
    expect([code, output]).toEqual([1, expect.stringContaining('the proxy takes the path off')]);
    expect(output).toMatch(/\n1 to mend\.\n$/);
  });

  test('an origin that the helper at that address does not have', async () => {
    const env = { PORCHLIGHT_ORIGINS: 'https://shop.example' };
    const { code, output } = await run(['check', '--url', rig.helper.base], rig.agent.url, env);
    expect([code, output]).toEqual([
      1,
      expect.stringContaining('a page of https://shop.example may not call'),
    ]);
    const helper = await startHelper({ agentUrl: rig.agent.url, env });
    const sound = await run(['check', '--url', `${helper.base}/`], rig.agent.url, env);
    const strict = await listen(async (request, response) => {
      const { status, headers, body } = await fetch(helper.origin + request.url);
      const policy = { 'cross-origin-resource-policy': 'same-origin' };
      response.writeHead(status, { ...Object.fromEntries(headers), ...policy });
      response.end(body && Buffer.from(await new Response(body).arrayBuffer()));
    });
    const shut = await run(['check', '--url', `${strict}/porchlight`], rig.agent.url, env);
    await helper.close();
    expect([shut.code, shut.output]).toEqual([
      1,
      expect.stringContaining('Cross-Origin-Resource-Policy: same-origin'),
    ]);
    expect([sound.code, sound.output]).toEqual([0, expect.stringContaining(`${helper.base} is ready`)]);
    expect(sound.output).toContain(`connect-src ${helper.origin}`);
    expect(sound.output).toContain('data-bot-id="bot-1"');
  });
});

describe('check --ask', () => {
  /** The agent's next answer: some words, and others a moment later. */
  const answerSlowly = () =>
    rig.agent.nextChat(async (answer) => {
      answer.open();
      answer.event('delta', { text: 'Hello ' });
      await new Promise((resolve) => setTimeout(resolve, 700));
      answer.event('delta', { text: 'there.' });
      answer.done('Hello there.');
    });

  test('asks the agent, and tells how long it took', async () => {
    answerSlowly();
    const { code, output } = await run(['check', '--ask'], rig.agent.url);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/ok {4}question: answered, the first event after \d+ ms/),
    ]);
  });

  test('names a refusal', async () => {
    rig.agent.nextChat((answer) => answer.refuse(403));
    const { code, output } = await run(['check', '--ask'], rig.agent.url);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(
        /WRONG question: failed: agent-refused\. the agent refused: check key, plan and credits \(403, no\)\. May the key/,
      ),
    ]);
  });

  test('names what the agent calls it when it fails in its answer', async () => {
    rig.agent.nextChat((answer) => {
      answer.open();
      answer.event('error', { error: { code: 'no_credits' } });
      answer.end();
    });
    const { code, output } = await run(['check', '--ask'], rig.agent.url);
    expect([code, output]).toEqual([
      1,
      expect.stringContaining('WRONG question: failed: agent-unavailable. a turn failed (no_credits)\n'),
    ]);
  });

  test('finds an agent that tells nobody what was said', async () => {
    const route = 'GET /v1/bot/chat/read';
    onTestFinished(() => rig.agent.restore(route));
    rig.agent.override(route, (_, response) => sendJson(response, { error: { code: 'no_route' } }, 404));
    const { code, output } = await run(['check', '--ask'], rig.agent.url);
    expect([code, output]).toEqual([1, expect.stringContaining('cannot be read (502)')]);
  });

  test('leaves nothing behind, whatever becomes of the question', async () => {
    const count = () => rig.agent.callsTo('DELETE /v1/bot/chat/delete').length;
    const before = count();
    const cutter = await listen(async (request, response) => {
      const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const body = parts.length > 0 ? Buffer.concat(parts) : undefined;
      const method = request.method as string;
      const got = await fetch(rig.helper.origin + request.url, { method, headers, ...(body && { body }) });
      response.writeHead(got.status, { 'content-type': got.headers.get('content-type') ?? '' });
      if (request.method !== 'PUT') return response.end(Buffer.from(await got.arrayBuffer()));
      response.flushHeaders();
      response.destroy();
    });
    const { code, output } = await run(['check', '--ask', '--url', `${cutter}/porchlight`], rig.agent.url);
    expect([code, output]).toEqual([1, expect.stringContaining('WRONG question')]);
    await expect.poll(count).toBe(before + 1);
  });

  test('says whether the agent has the same secret for sign-ins', async () => {
    const sound = await run(['check', '--ask'], rig.agent.url);
    expect([sound.code, sound.output]).toEqual([0, expect.stringContaining('ok    sign-in')]);
    const route = 'POST /v1/bot/widget/sso';
    onTestFinished(() => rig.agent.restore(route));
    rig.agent.override(route, (_, response) => sendJson(response, { error: { code: 'bad_signature' } }, 401));
    const { code, output } = await run(['check', '--ask'], rig.agent.url);
    expect([code, output]).toEqual([1, expect.stringContaining('WRONG sign-in')]);
    expect(output).toContain('(bad_signature)');
    rig.agent.override(route, (_, response) => sendJson(response, { error: 'no such route' }, 404));
    expect((await run(['check', '--ask'], rig.agent.url)).output).toContain('note  sign-in');
  });

  test('signs in with the issuer that the helper asks for', async () => {
    const asked = rig.agent.callsTo('POST /v1/bot/widget/sso').length;
    const env = { PORCHLIGHT_SSO_ISSUER: 'https://shop.example', PORCHLIGHT_IDENTITY: 'required' };
    const { code, output } = await run(['check', '--ask'], rig.agent.url, env);
    expect([code, output]).toEqual([0, expect.stringContaining('Nothing is wrong.')]);
    expect(rig.agent.callsTo('POST /v1/bot/widget/sso').length).toBeGreaterThan(asked);
  });

  /** Hands on whole replies. @param refuses a method that it does not let through */
  const startProxy = (refuses?: string) =>
    listen((request, response) => {
      if (request.method === refuses) return response.writeHead(405).end();
      const parts: Buffer[] = [];
      request.on('data', (part) => parts.push(part));
      request.on('end', async () => {
        const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
        const body = parts.length > 0 ? Buffer.concat(parts) : undefined;
        const method = request.method as string;
        const got = await fetch(rig.helper.origin + request.url, { method, headers, ...(body && { body }) });
        const whole = Buffer.from(await got.arrayBuffer());
        response.writeHead(got.status, { 'content-type': got.headers.get('content-type') ?? '' }).end(whole);
      });
    });

  test('finds a proxy that lets nobody delete', async () => {
    const proxy = await startProxy('DELETE');
    const { code, output } = await run(['check', '--ask', '--url', `${proxy}/porchlight`], rig.agent.url);
    expect([code, output]).toEqual([1, expect.stringContaining('deleting it is refused (405)')]);
  });

  test('finds a proxy that holds the answer back', async () => {
    const proxy = await startProxy();
    answerSlowly();
    const { code, output } = await run(['check', '--ask', '--url', `${proxy}/porchlight`], rig.agent.url);
    expect([code, output]).toEqual([1, expect.stringContaining('a proxy holds it back')]);
  });
});

describe('token', () => {
  test('mints what the helper takes', async () => {
    const args = [
      'token',
      '--email',
      'ada@larkfield.example',
      '--name',
      'Ada',
      '--external-id',
      'customer-1001',
    ];
    const { code, output } = await run(args, rig.agent.url);
    expect(code).toBe(0);
    const rules = { secrets: [secrets.ssoSecret], audience: target.botId, issuer: undefined };
    const identity = await verifySsoToken(output.trim(), rules, Date.now() / 1000);
    expect(identity).toMatchObject({ name: 'Ada' });
    expect(identity.owner).toContain('customer-1001');
  });

  test('has the issuer that the helper asks for', async () => {
    const issuer = 'https://shop.example';
    const args = ['token', '--email', 'ada@larkfield.example'];
    const { output } = await run(args, rig.agent.url, { PORCHLIGHT_SSO_ISSUER: issuer });
    const rules = { secrets: [secrets.ssoSecret], audience: target.botId, issuer };
    const identity = await verifySsoToken(output.trim(), rules, Date.now() / 1000);
    expect(identity.email).toBe('ada@larkfield.example');
  });

  test.each([
    [['--email', 'ada'], { PORCHLIGHT_SSO_SECRET: '' }, 'PORCHLIGHT_SSO_SECRET is missing'],
    [
      ['--email', 'ada'],
      { PORCHLIGHT_SSO_SECRET: 'short' },
      'PORCHLIGHT_SSO_SECRET must be a string of at least 32 bytes',
    ],
    [['--email', 'ada@larkfield.example', '--expires-in', '4000'], {}, '--expires-in must be from 1 to 3600'],
    [['--email', 'ada@larkfield.example', '--expires-in', '0.5'], {}, '--expires-in must be from 1 to 3600'],
  ])('refuses %j with %j', async (args, env, expected) => {
    const { code, output } = await run(['token', ...args], rig.agent.url, env as Environment);
    expect([code, output]).toEqual([1, expect.stringContaining(expected)]);
  });
});

test.each(['https://ada:secret-7@chat.example/porchlight', 'https://chat.example/porchlight?secret-7'])(
  'an address with more than an address is refused, and not repeated: %s',
  async (url) => {
    const { code, output } = await run(['check', '--url', url], rig.agent.url);
    expect([code, output]).toEqual([
      1,
      expect.stringContaining('--url must be without user, query and fragment'),
    ]);
    expect(output).not.toContain('secret-7');
  },
);

test.each([
  [['serve', '--port', '5'], '--port is not known: variables alone set it up'],
  [['check', '--uri=https://chat.example'], '--uri is not known: there is --url, --ask'],
  [['token', '--mail', 'ada@larkfield.example', '--email', 'ada@larkfield.example'], '--mail is not known'],
  [['token', '--email', 'ada@larkfield.example', 'Ada'], 'Ada is not known here'],
  [['check', 'bogus'], 'bogus is not known here'],
  [['serve', 'bogus'], 'bogus is not known here'],
  [['check', '--ask', 'false'], 'false is not known here'],
  [['check', '--ask=no'], '--ask is given without a value, or not at all'],
])('a flag that nobody reads is refused: %j', async (command, expected) => {
  const { code, output } = await run(command, rig.agent.url);
  expect([code, output]).toEqual([1, expect.stringContaining(expected)]);
});

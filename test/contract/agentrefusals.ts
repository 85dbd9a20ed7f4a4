/** What any implementation of the agent API must refuse, with which status, and the limits it must tell. */

import { expect, test } from 'vitest';
import type { AgentClient } from '../support/agentclient.ts';

const question = 'What is the warranty on a Larkfield tarpaulin?';

/** `current` is called inside each test: the client exists only once the suite has begun. */
export function agentRefusals(current: () => AgentClient) {
  test('a missing or wrong key is 401, another project 403, an unknown bot or route 404 (S163, S164, S195, S196, S197)', async () => {
    expect((await current().call('GET', '/v1/bot/read', {}, null)).status).toBe(401);
    expect((await current().call('GET', '/v1/bot/read', {}, 'wrong')).status).toBe(401);
    expect((await current().call('GET', '/v1/bot/read', { project_id: 'another' })).status).toBe(403);
    expect((await current().call('GET', '/v1/bot/read', { bot_id: 'unknown' })).status).toBe(404);
    const unknown = await current().call('POST', '/v1/bot/no-such-thing');
    expect(unknown.status).toBe(404);
    expect(unknown.body).toMatchObject({
      success: false,
      error: { message: expect.any(String), code: expect.any(String) },
    });
  });

  test.each([
    ['no message', { message: undefined }],
    ['no project', { project_id: undefined }],
    ['no bot', { bot_id: undefined }],
    ['a temperature over 1', { temperature: 1.5 }],
    ['a temperature under 0', { temperature: -0.1 }],
    ['metadata over 4 KB', { metadata: { text: 'x'.repeat(5000) } }],
  ])('%s is 400', async (_name, wrong) => {
    const { status, body } = await current().chat(question, wrong);
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, error: { code: 'invalid_parameters' } });
  });

  test.each(['interactive', 'stepwise', 'react'])(
    'the retired reasoning mode %s is 400 and says use agent (S74, S75, S76)',
    async (mode) => {
      const { status, body } = await current().chat(question, { reasoning_mode: mode });
      expect(status).toBe(400);
      expect(body.error.message).toContain('use agent');
    },
  );

  test('a body over 1 MB is 413, of a chat call over 16 MB', async () => {
    const large = 'x'.repeat(1024 * 1024 + 1);
    expect((await current().call('POST', '/v1/bot/search', { keywords: large })).status).toBe(413);
    expect((await current().chat(large)).status).toBe(400);
    expect((await current().chat(large.repeat(16))).status).toBe(413);
  });

  test('each answer carries the rate limit, what remains and when it begins anew (S198)', async () => {
    const { headers } = await current().call('GET', '/v1/bot/read');
    expect(Number(headers.get('x-ratelimit-limit'))).toBeGreaterThan(0);
    expect(Number(headers.get('x-ratelimit-remaining'))).toBeGreaterThanOrEqual(0);
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(1_000_000_000);
  });
}

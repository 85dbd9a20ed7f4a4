/** What the owner reads in the log when the agent turns a call away: what to check, and nothing that a visitor wrote. */
import { expect, test } from 'vitest';
import { chatPath, isGone, toAgentError } from '../../server-helper/agent/failure.ts';

const gone = JSON.stringify({ error: 'No such project' });
test.each([
  [404, chatPath, gone, 'error', 'the agent does not know what is asked: check project and bot'],
  [404, '/v1/bot/read', gone, 'error', 'the agent does not know what is asked: check project and bot'],
  [404, '/v1/bot/chat/messages', gone, undefined, undefined],
  [404, chatPath, '<html>', 'warn', 'the agent has no such path'],
  [404, '/v1/bot/chat/subscribe', '<html>', undefined, undefined],
  [401, chatPath, gone, 'error', 'the agent refused: check key, plan and credits'],
  [402, chatPath, gone, 'error', 'the agent refused: check key, plan and credits'],
  [403, chatPath, gone, 'error', 'the agent refused: check key, plan and credits'],
  [400, chatPath, gone, 'error', 'the agent refused what it was asked'],
  [422, '/v1/bot/chat/rename', gone, 'error', 'the agent refused what it was asked'],
  [500, chatPath, gone, 'warn', 'the agent failed'],
  [302, chatPath, '', 'warn', 'the agent sends elsewhere: set PORCHLIGHT_AGENT_URL to where it is'],
] as const)('a %i at %s', (status, path, body, level, message) => {
  const lines: unknown[] = [];
  const write = (level: string) => (fields: object, text: string) => lines.push([level, fields, text]);
  const log = { info: write('info'), warn: write('warn'), error: write('error') };
  const error = toAgentError(status, () => undefined, body, log, path);
  expect(error.code).toBe([302, 500].includes(status) ? 'agent-unavailable' : 'agent-refused');
  expect(lines).toEqual(
    message ? [[level, { code: error.code, path, status, agentCode: undefined }, message]] : [],
  );
});

test.each([
  ['insufficient_credits', 'insufficient_credits'],
  ['AgentError.2', 'AgentError.2'],
  // A key that the agent sends back, and what a visitor may have written.
  ['agent-key-5f0c9a71be22', undefined],
  ['sk_live_51h8zq0aa93k', undefined],
  ['Where is my order?', undefined],
])('of the code %s the log has %s', (code, kept) => {
  const lines: object[] = [];
  const write = (fields: object) => void lines.push(fields);
  const log = { info: write, warn: write, error: write };
  toAgentError(500, () => undefined, JSON.stringify({ error: { code } }), log, chatPath);
  expect(lines).toEqual([{ code: 'agent-unavailable', path: chatPath, status: 500, agentCode: kept }]);
});

test.each(['chat_0a1b2c3d4e5f_not_found', 'conversation2_not_found', `${'long_'.repeat(20)}not_found`])(
  'what is not logged of a code is heard for all that: %s',
  (code) => {
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const body = JSON.stringify({ error: { code } });
    expect(isGone(toAgentError(404, () => undefined, body, log, '/v1/bot/chat/read'))).toBe(true);
  },
);

/** @returns the lines of the log */
function tell(status: number, code: string, path: string): string[] {
  const lines: string[] = [];
  const write = (_: object, text: string) => void lines.push(text);
  const log = { info: write, warn: write, error: write };
  toAgentError(status, () => undefined, JSON.stringify({ error: { code } }), log, path);
  return lines;
}

test('a bot that is gone is no matter of key, plan and credits, whatever was called', () => {
  const line = 'the agent does not know what is asked: check project and bot';
  expect(tell(404, 'bot_not_found', '/v1/bot/chat/read')).toEqual([line]);
});

test('a token that the agent does not take is told as one, though key and plan are right', () => {
  const line = 'the agent refused an SSO token: it knows another secret, or takes no such claims';
  expect(tell(400, 'sso_token_invalid', '/v1/bot/widget/sso')).toEqual([line]);
});

/** Options and environment: a mistake is told at the start, by its name and never by its value. */
import { describe, expect, test } from 'vitest';
import { type HelperOptions, readOptions } from '../../server-helper/config.ts';
import { readEnvironment, toVariableMessage } from '../../server-helper/environment.ts';
import { silentLog } from '../../server-helper/log.ts';
import { createMemoryStore } from '../../server-helper/store/memory.ts';

const secret = '0123456789abcdef0123456789abcdef';
const good: HelperOptions = {
  agentUrl: 'https://agent.example',
  apiKey: 'k',
  projectId: 'p',
  botId: 'b',
  store: createMemoryStore(),
};

describe('an option that is wrong is named', () => {
  test.each<[string, Partial<Record<keyof HelperOptions, unknown>>]>([
    ['agentUrl', { agentUrl: 'agent.example' }],
    ['agentUrl', { agentUrl: 'https://agent.example/?key=1' }],
    ['apiKey', { apiKey: '' }],
    ['projectId', { projectId: undefined }],
    ['ssoSecret', { ssoSecret: 'short' }],
    ['ssoSecret', { ssoSecret: [secret, 'x'.repeat(40)] }],
    ['sessionSecret', { sessionSecret: 'short' }],
    ['origins', { origins: ['https://shop.example/'] }],
    ['origins', { origins: ['null'] }],
    ['basePath', { basePath: 'chat' }],
    ['identity', { identity: 'maybe' }],
    ['ssoSecret', { identity: 'required' }],
    ['reasoningModes', { reasoningModes: ['react'] }],
    ['store', { store: undefined }],
    ['trustedProxies', { trustedProxies: -1 }],
    ['workspace', { workspace: '' }],
  ])('%s', (name, change) => {
    const read = () => readOptions({ ...good, ...change } as HelperOptions);
    expect(read).toThrowError(TypeError);
    expect(read).toThrowError(name);
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
    trustedProxies: 0,
    limited: true,
    origins: undefined,
    reasoningModes: ['auto'],
  });
});

describe('the environment', () => {
  const env = {
    PORCHLIGHT_AGENT_URL: 'https://agent.example',
    PORCHLIGHT_API_KEY: 'k',
    PORCHLIGHT_PROJECT_ID: 'p',
    PORCHLIGHT_BOT_ID: 'b',
    PORCHLIGHT_STORE: 'memory',
  };
  test('gives lists for what is separated by commas', () => {
    const { options } = readEnvironment(
      {
        ...env,
        PORCHLIGHT_ORIGINS: 'https://a.example, https://b.example',
        PORCHLIGHT_SSO_SECRET: `${secret},${secret}2`,
      },
      silentLog,
    );
    expect(options.origins).toEqual(['https://a.example', 'https://b.example']);
    expect(options.ssoSecret).toHaveLength(2);
  });
  test('names the variable that is missing or wrong', () => {
    expect(() => readEnvironment({ ...env, PORCHLIGHT_API_KEY: '' }, silentLog)).toThrowError(
      'PORCHLIGHT_API_KEY',
    );
    expect(() => readEnvironment({ ...env, PORCHLIGHT_STORE: 'redis://x' }, silentLog)).toThrowError(
      'PORCHLIGHT_STORE',
    );
    expect(() => readEnvironment({ ...env, PORT: 'eighty' }, silentLog)).toThrowError('PORT');
    expect(toVariableMessage('ssoSecret must have at least 32 bytes')).toMatch(/^PORCHLIGHT_SSO_SECRET must/);
    expect(toVariableMessage('identity must be off')).toMatch(/^PORCHLIGHT_IDENTITY must/);
  });
});

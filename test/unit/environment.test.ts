/** The environment of `porchlight serve`: what is wrong refuses the start by the name of its variable. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOptions } from '../../server-helper/config.ts';
import { readEnvironment, toVariableMessage } from '../../server-helper/environment.ts';
import { type LogFields, silentLog } from '../../server-helper/log.ts';

const secret = '0123456789abcdef0123456789abcdef';
const env = {
  PORCHLIGHT_AGENT_URL: 'https://agent.test',
  PORCHLIGHT_API_KEY: 'k',
  PORCHLIGHT_PROJECT_ID: 'p',
  PORCHLIGHT_BOT_ID: 'b',
  PORCHLIGHT_STORE: 'memory',
};
const read = (change: Record<string, string>) =>
  readOptions(readEnvironment({ ...env, ...change }, silentLog).options);
/** As `porchlight serve` tells it. */
function refuse(change: Record<string, string>): string {
  try {
    read(change);
  } catch (error) {
    return toVariableMessage((error as TypeError).message);
  }
  throw new Error('it was taken');
}

test('gives lists for what is separated by commas', () => {
  const { options } = readEnvironment(
    {
      ...env,
      PORCHLIGHT_ORIGINS: 'https://a.example, https://b.example',
      PORCHLIGHT_SSO_SECRET: `${secret},${secret}2`,
      PORCHLIGHT_SESSION_SECRET: `${secret}3, ${secret}`,
    },
    silentLog,
  );
  expect(options.origins).toEqual(['https://a.example', 'https://b.example']);
  expect(options.ssoSecret).toHaveLength(2);
  expect(options.sessionSecret).toEqual([`${secret}3`, secret]);
});

test('gives numbers for the limits that are named', () => {
  const { options } = readEnvironment(
    { ...env, PORCHLIGHT_LIMITS: 'sitePerDay=5000, guestsPerMinute = 60' },
    silentLog,
  );
  expect(options.limits).toEqual({ sitePerDay: 5000, guestsPerMinute: 60 });
});

const folder = join(import.meta.dirname, 'no-such-folder');
const wrong: Record<string, string[]> = {
  PORCHLIGHT_AGENT_URL: [
    '',
    ' ',
    'agent.test',
    'http://agent.test',
    'https://agent.test\n',
    'https://agent.test/v1/bot/chat',
    'https://agent.test/V1',
    'https://agent.test//',
    'https://agent.test/#',
    'https://agent.test?',
    'https://agent.test/%zz',
    'https://agent.test:0',
  ],
  PORCHLIGHT_API_KEY: ['', ' ', 'key\n', 'key\r', 'k y', 'ключ'],
  PORCHLIGHT_PROJECT_ID: ['', ' ', 'p\n'],
  PORCHLIGHT_BOT_ID: ['', ' ', 'b\n', 'b'.repeat(201)],
  PORCHLIGHT_SSO_SECRET: [
    ',',
    ' ',
    'short',
    `${secret},`,
    `,${secret}`,
    `${secret},,${secret}`,
    `${secret},short`,
  ],
  PORCHLIGHT_SSO_ISSUER: [' ', 'issuer\n'],
  PORCHLIGHT_SESSION_SECRET: [',', ' ', 'short', `${secret},`, `${secret},short`],
  PORCHLIGHT_ORIGINS: [
    ',',
    ' ',
    '*',
    'shop.test',
    'https://shop.test/',
    'https://Shop.test',
    'https://a.example;https://b.example',
  ],
  PORCHLIGHT_WORKSPACE: [' ', 'Visitor', 'conversations', 'CONVERSATION', 'visitor\n', 'workspace-1'],
  PORCHLIGHT_STORE: [
    ' ',
    'Memory',
    'memory\n',
    'sqlite::memory:',
    'sqlite://x.db',
    'sqlite:file:chat.db?mode=memory',
    'sqlite:',
    'sqlite: ',
    'sqlite',
    'SQLITE:a.db',
    'sqlite:a.db\n',
    `sqlite:${folder}/a.db`,
    `sqlite:${import.meta.dirname}`,
    `sqlite:${import.meta.filename}`,
    'redis://x?prefix={a}',
    'a.db',
  ],
  PORCHLIGHT_BASE_PATH: [' ', 'chat', '/chat/', '/ch at', '/chat\n', 'https://shop.test/chat'],
  PORCHLIGHT_IDENTITY: [' ', 'Required', 'true', 'off\n'],
  PORCHLIGHT_ATTACHMENTS: [',', 'ON', 'image/svg+xml', 'image/png;image/gif'],
  PORCHLIGHT_REASONING_MODES: [',', ' ', 'Auto', 'react', 'auto,', 'auto;agent'],
  PORCHLIGHT_WEBHOOK_SECRET: [',', ' ', 'hook,'],
  PORCHLIGHT_TRUSTED_PROXIES: [' ', '-1', 'one', '0x1', '1e0', '1.0', '1\n', '21', 'true'],
  PORCHLIGHT_RETENTION_DAYS: [' ', '0', '-1', 'ninety', '1.5', '3651', '90\n'],
  PORCHLIGHT_METRICS_TOKEN: [' ', 'short', 'metrics token of more than forty characters'],
  PORCHLIGHT_ADMIN_PASSWORD: [' ', 'short', 'owner password', 'aaaaaaaaaaaa'],
  PORCHLIGHT_LIMITS: [
    ...[' ', 'OFF', 'Off', 'off\n', 'false', '0', 'no', '5000', '=', '=5', 'off,sitePerDay=5', 'perDay=5'],
    ...[
      '',
      '0',
      '-1',
      '1.5',
      '0x10',
      '1e3',
      'many',
      '5=6',
      '10000001',
      '5;guestsPerMinute=5',
      '5,',
      '5,sitePerDay=6',
    ].map((count) => `sitePerDay=${count}`),
  ],
  PORT: [' ', 'eighty', '-1', '65536', '0x50', '8e1', '80\n', '80.0'],
  HOST: [' ', '127.0.0.1\n', ' ::1', 'a b'],
};
const wrongOnes = Object.entries(wrong).flatMap(([name, values]) =>
  values.map((value) => [name, JSON.stringify(value.replaceAll(import.meta.dirname, '…')), value] as const),
);
test.each(wrongOnes)('%s=%s refuses the start by the name of the variable', (name, _, value) => {
  const message = refuse({ [name]: value });
  expect(message).toMatch(new RegExp(`^${name} (must|is) `));
  if (value.trim().length > 8) expect(message).not.toContain(value.trim());
});

test('of every variable that is read, wrong values are tried', async () => {
  const read = new Set<string>();
  const watched = new Proxy(env, {
    get: (target, name: string) => {
      read.add(name);
      return target[name as keyof typeof target];
    },
  });
  readEnvironment(watched, silentLog);
  expect([...read].sort()).toEqual(Object.keys(wrong).sort());
});

test('identity "required" names the variable that it needs', () => {
  expect(refuse({ PORCHLIGHT_IDENTITY: 'required' })).toMatch(/^PORCHLIGHT_SSO_SECRET is missing/);
});

test('an empty variable is one that is not set', () => {
  const optional = Object.keys(wrong).filter((name) => !(name in env));
  const empty = Object.fromEntries(optional.map((name) => [name, '']));
  expect(read(empty)).toMatchObject({
    ...read({}),
    store: expect.anything(),
    log: expect.anything() as object,
  });
});

test.each([
  ['PORCHLIGHT_SSO_SECRETS', 'PORCHLIGHT_SSO_SECRET'],
  ['PORCHLIGHT_ORIGIN', 'PORCHLIGHT_ORIGINS'],
  ['PORCHLIGHT_IDENTTIY', 'PORCHLIGHT_IDENTITY'],
  ['PORCHLIGHT_WORKSPACES', 'PORCHLIGHT_WORKSPACE'],
  ['PORCHLIGHT_LIMIT', 'PORCHLIGHT_LIMITS'],
  ['porchlight_identity', 'PORCHLIGHT_IDENTITY'],
  ['Porchlight_Sso_Secret', 'PORCHLIGHT_SSO_SECRET'],
  ['PORCHLIGHTIDENTITY', 'PORCHLIGHT_IDENTITY'],
])('%s refuses the start, and %s is proposed', (name, meant) => {
  expect(refuse({ [name]: 'x' })).toBe(`${name} is not known: did you mean ${meant}?`);
});

test('a variable that is like no other is told and ignored; those that Kubernetes sets are not told', () => {
  const told: unknown[] = [];
  const log = { ...silentLog, warn: ({ variable }: LogFields) => void told.push(variable) };
  const kubernetes = {
    PORCHLIGHT_SERVICE_HOST: '10.0.0.1',
    PORCHLIGHT_SERVICE_PORT: '8788',
    PORCHLIGHT_SERVICE_PORT_HTTP: '8788',
    PORCHLIGHT_PORT: 'tcp://10.0.0.1:8788',
    PORCHLIGHT_PORT_8788_TCP: 'tcp://10.0.0.1:8788',
    PORCHLIGHT_PORT_8788_TCP_ADDR: '10.0.0.1',
  };
  readEnvironment({ ...env, ...kubernetes, PORCHLIGHT_COLOUR: 'red' }, log);
  expect(told).toEqual(['PORCHLIGHT_COLOUR']);
  readEnvironment({ ...env, PORCHLIGHT_PORT: '8080' }, log);
  expect(told).toEqual(['PORCHLIGHT_COLOUR', 'PORCHLIGHT_PORT']);
});

test('every variable that docs/options.md names is known', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../docs/options.md'), 'utf8');
  const names = new Set(readme.match(/PORCHLIGHT_[A-Z_]+/g));
  expect(names.size).toBeGreaterThan(12);
  const told: unknown[] = [];
  const log = { ...silentLog, warn: ({ variable }: LogFields) => void told.push(variable) };
  readEnvironment({ ...Object.fromEntries([...names].map((name) => [name, undefined])), ...env }, log);
  expect(told).toEqual([]);
});

test.each(['"', "'"])('a value in %s quotes is refused: of an env file Docker hands them over', (quote) => {
  expect(refuse({ PORCHLIGHT_SSO_SECRET: `${quote}${secret}${quote}` })).toBe(
    'PORCHLIGHT_SSO_SECRET must be given without quotes around it',
  );
});

test('a list in brackets is refused: its first and last value would not be what was meant', () => {
  expect(refuse({ PORCHLIGHT_SSO_SECRET: JSON.stringify([secret, secret]) })).toBe(
    'PORCHLIGHT_SSO_SECRET must be given without brackets: of several, a comma stands between them',
  );
});

test.each(['$API_KEY', `$${'{API_KEY}'}`, '{{ api_key }}', '<your key>', 'undefined', 'null'])(
  'a value that was never filled in is refused: %s',
  (value) => {
    expect(refuse({ PORCHLIGHT_API_KEY: value })).toBe(
      'PORCHLIGHT_API_KEY was not filled in: it must hold the value itself',
    );
  },
);

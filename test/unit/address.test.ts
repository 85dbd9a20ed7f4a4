/** Which address a request counts for, and what the operator is told where all count for one. */
import { expect, test } from 'vitest';
import { createAddressReader } from '../../server-helper/auth/address.ts';
import { silentLog } from '../../server-helper/log.ts';

function start(trustedProxies = 0, limited = true) {
  const told: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => void told.push(message) };
  const read = createAddressReader({ limited, trustedProxies, log });
  return {
    told,
    read: (address: string | undefined, forwarded?: string) =>
      read(address, new Headers(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded })),
  };
}

test.each(['127.0.0.1', '::1', '::ffff:10.0.0.3', '172.20.0.5', '192.168.1.1', '100.64.0.3', 'fd00::5'])(
  'a proxy at %s that nobody spoke of is told, once',
  (address) => {
    const { read, told } = start();
    read(address, '203.0.113.7');
    read(address, '203.0.113.8');
    expect(told).toEqual([expect.stringContaining('set trustedProxies, PORCHLIGHT_TRUSTED_PROXIES')]);
  },
);

test('a proxy that is trusted, a visitor of the open net and limits that are off are not worth a word', () => {
  const trusted = start(1);
  expect(trusted.read('127.0.0.1', '203.0.113.7')).toBe('203.0.113.7');
  const open = start();
  expect(open.read('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
  expect(open.read('127.0.0.1')).toBe('127.0.0.1');
  const off = start(0, false);
  off.read('127.0.0.1', '203.0.113.7');
  expect([...trusted.told, ...open.told, ...off.told]).toEqual([]);
});

test('more proxies trusted than there are is told: every visitor counts as the last proxy', () => {
  const { read, told } = start(2);
  expect(read('10.0.0.1', '203.0.113.7')).toBe('10.0.0.1');
  expect(told).toEqual([expect.stringContaining('lower trustedProxies, PORCHLIGHT_TRUSTED_PROXIES')]);
});

test('where no address is known all share one, and that is told', () => {
  const { read, told } = start();
  expect(read(undefined)).toBe(read(undefined, '203.0.113.7'));
  expect(told).toHaveLength(1);
});

/** What is told of a session that none of the helper's secrets has signed. */
import { expect, test, vi } from 'vitest';
import { createSessions } from '../../server-helper/auth/session.ts';

const [ours, others] = [1, 2].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array];
const visitor = { kind: 'anonymous', member: false } as const;
const signed = (key: Uint8Array, bot: string) =>
  createSessions([key], bot, Date.now).sign({ owner: 'anonymous:1', visitor });

test.each([
  ['of another secret', 1, () => signed(others, 'bot')],
  ['of another agent', 0, () => signed(ours, 'another')],
  ['of another agent and secret', 0, () => signed(others, 'another')],
  ['cut short', 0, async () => (await signed(ours, 'bot')).slice(0, 40)],
  ['that is no token', 0, () => 'nonsense'],
])('a session %s is refused, and told of %i times', async (_, times, make) => {
  const onForeign = vi.fn();
  const sessions = createSessions([ours], 'bot', Date.now, onForeign);
  await expect(sessions.verify(await make())).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(onForeign).toHaveBeenCalledTimes(times);
});

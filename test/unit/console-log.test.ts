/** What an embedded helper says on the console. */
import { afterEach, expect, test, vi } from 'vitest';
import { consoleLog } from '../../server-helper/log.ts';

afterEach(() => vi.restoreAllMocks());

test('has no word of what is not known', () => {
  const said = vi.spyOn(console, 'error').mockReturnValue();
  consoleLog.error({ code: 'agent-unavailable', reason: undefined, status: 0 }, 'a turn failed');
  expect(said.mock.calls).toEqual([['porchlight: a turn failed', { code: 'agent-unavailable', status: 0 }]]);
});

/** A short chaos run: an agent and visitors that misbehave in every way of the table, by the same numbers each time. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentFaults, visitorFaults } from '../chaos/faults.mjs';

test('whatever agent and visitors do wrong, nothing is lost, doubled, mixed or left behind', () => {
  const root = join(import.meta.dirname, '../..');
  const options = ['--faults', '--calm', '--seconds', '10', '--visitors', '15', '--seed', '11'];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'test/chaos/run.mjs'), ...options],
    { cwd: root, encoding: 'utf8' },
  );
  expect([status, stdout.split('\n').at(-2), stderr]).toEqual([0, 'Every invariant held.', '']);
  const ran = [...stdout.matchAll(/^\| (.+) \| (\d+) \| 0 \|$/gm)].filter(([, , runs]) => Number(runs) > 0);
  expect(ran.map(([, name]) => name)).toEqual([...Object.keys(agentFaults), ...visitorFaults]);
}, 120_000);

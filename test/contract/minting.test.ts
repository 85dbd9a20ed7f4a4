/** Tokens minted as docs/identity.md shows it in other languages are those that the helper takes. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { verifySsoToken } from '../../server-helper/auth/sso.ts';

const secret = 'sso-secret-8c1f04b7d2e95a6390fb17c4';
const folder = mkdtempSync(join(tmpdir(), 'porchlight-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(import.meta.dirname, '../languages', name);
const run = ([command, ...args]: readonly string[], more: readonly string[] = [], env = {}) =>
  spawnSync(command!, [...args, ...more], {
    encoding: 'utf8',
    env: { ...process.env, PORCHLIGHT_SSO_SECRET: `${secret},an-earlier-one-of-32-bytes-at-least`, ...env },
  });

/** What tells whether the machine has it; what makes a program of the file, where it needs that; and what runs it. */
const languages = {
  Python: { has: ['python3', '--version'], mint: ['python3', file('mint.py')] },
  Ruby: { has: ['ruby', '--version'], mint: ['ruby', file('mint.rb')] },
  PHP: { has: ['php', '--version'], mint: ['php', file('mint.php')] },
  Go: { has: ['go', 'version'], mint: ['go', 'run', file('mint.go')] },
  Java: { has: ['javac', '-version'], mint: ['java', file('Mint.java')] },
  'C#': {
    has: ['mcs', '--version'],
    make: ['mcs', `-out:${join(folder, 'mint.exe')}`, file('Mint.cs')],
    mint: ['mono', join(folder, 'mint.exe')],
  },
} satisfies Record<string, { has: string[]; make?: string[]; mint: string[] }>;

const all = Object.entries(languages);
const here = all.filter(([, { has }]) => run(has).status === 0);
const elsewhere = all.filter((one) => !here.includes(one)).map(([name]) => name);
if (elsewhere.length > 0)
  process.stderr.write(`Not on this machine, so minting in it is not tried: ${elsewhere.join(', ')}\n`);

test('each of them is shown', () => {
  const page = readFileSync('docs/identity.md', 'utf8');
  for (const [, { mint, make }] of all as [string, { mint: string[]; make?: string[] }][])
    expect(page).toContain(readFileSync((make ?? mint).at(-1)!, 'utf8'));
});

describe.each(here)('%s', (_, language) => {
  if ('make' in language) expect(run(language.make).status).toBe(0);
  const verify = (minted: string, laterSeconds = 0) =>
    verifySsoToken(
      minted,
      { secrets: [secret], audience: 'juniper', issuer: undefined },
      Math.floor(Date.now() / 1000) + laterSeconds,
    );
  const mint = (...claims: string[]) => {
    const { status, stdout, stderr } = run(language.mint, claims);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    return stdout.trim();
  };

  test.each([
    [['ada@larkfield.example'], 'email:ada@larkfield.example', undefined],
    [
      ['ada@larkfield.example', 'Ada O’Hara "é" \\ 😀', 'customer-1001'],
      'external:customer-1001',
      'Ada O’Hara "é" \\ 😀',
    ],
  ])(
    '%j',
    async (claims, owner, name) => {
      const minted = mint(...claims);
      expect(await verify(minted)).toEqual({ owner, email: 'ada@larkfield.example', name });
      // Ten minutes.
      await expect(verify(minted, 700)).rejects.toMatchObject({ code: 'sso-token-expired' });
    },
    60_000,
  );

  test('signs nothing without a secret', () => {
    const { status, stdout } = run(language.mint, ['ada@larkfield.example'], {
      PORCHLIGHT_SSO_SECRET: undefined,
    });
    expect([status === 0, stdout.trim()]).toEqual([false, '']);
  }, 60_000);
});

/** What the build leaves out of the table of states is asked for nowhere in the widget. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cutStates } from '../../widget/build/cut-states.ts';

const widget = new URL('../../widget/', import.meta.url);
const source = readFileSync(new URL('states.ts', widget), 'utf8');

test('of the ways only that of what can be tried again is left, and all else stands', () => {
  const cut = cutStates(source);
  const rows = (code: string) => code.slice(code.indexOf('export const states'));
  expect(new Set(rows(cut).match(/way: '[\w-]+'/g))).toEqual(new Set(["way: 'retry'"]));
  for (const part of [
    "'sso-token-invalid': { owner: 'the SSO token is not valid' }",
    'silent: true',
    'loading:',
  ])
    expect(cut).toContain(part);
  const count = (code: string) => rows(code).match(/^ {2}'?[\w-]+'?: /gm)?.length;
  expect(count(cut)).toBe(count(source));
  expect(() => cutStates(source.replace('const retry: StateRow', 'const again: StateRow'))).toThrow(
    'another shape',
  );
});

test('the widget asks for no other way', () => {
  const asked = (readdirSync(widget, { recursive: true }) as string[])
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('build/'))
    .flatMap((name) => readFileSync(new URL(name, widget), 'utf8').match(/\bway [!=]== '[\w-]+'/g) ?? []);
  // A page has come some way too.
  expect(new Set(asked)).toEqual(
    new Set(['retry', 'back_forward', 'navigate'].map((way) => `way === '${way}'`)),
  );
});

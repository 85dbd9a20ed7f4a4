/** The conditions of a workflow, and what stands for `{{path}}`. */
import { describe, expect, test } from 'vitest';
import type { Operator } from '../../../demo/agent/workflows/catalog.ts';
import { createFiller, holds } from '../../../demo/agent/workflows/template.ts';

const payload = {
  name: 'Ada "Countess" Lovelace',
  n: 5,
  text: '5',
  zero: 0,
  no: false,
  none: null,
  list: ['a', 'b', 7],
  nulls: [null],
  deep: { er: [{ x: 'y' }] },
  again: '{{n}}',
};

describe('a condition', () => {
  test.each<[string, Operator, unknown, boolean]>([
    ['n', 'equals', 5, true],
    ['n', 'equals', '5', true],
    ['n', 'equals', 6, false],
    ['no', 'equals', false, true],
    ['none', 'equals', null, true],
    ['missing', 'equals', null, false],
    ['missing', 'equals', '', false],
    ['missing', 'not_equals', 'x', true],
    ['list', 'equals', ['a', 'b', 7], true],
    ['n', 'not_equals', '5', false],
    ['name', 'contains', 'Countess', true],
    ['name', 'contains', 'countess', false],
    ['list', 'contains', '7', true],
    ['list', 'contains', 'c', false],
    ['list', 'contains', null, false],
    ['nulls', 'contains', null, true],
    ['n', 'contains', '5', false],
    ['deep.er.0.x', 'exists', undefined, true],
    ['deep.er.1.x', 'exists', undefined, false],
    ['none', 'exists', true, false],
    ['missing', 'exists', false, true],
    ['zero', 'exists', true, true],
    // As a form has it.
    ['zero', 'exists', 'false', false],
    ['missing', 'exists', 'false', true],
    ['constructor', 'exists', true, false],
    ['list.length', 'exists', true, true],
    ['name.length', 'exists', true, false],
    ['n', 'greater_than', 4, true],
    ['text', 'greater_than', '4.5', true],
    ['n', 'greater_than', 5, false],
    ['n', 'less_than', 6, true],
    ['name', 'less_than', 6, false],
    ['none', 'less_than', 6, false],
    ['missing', 'greater_than', -1, false],
  ])('%s %s %j is %s', (field, operator, value, expected) => {
    expect(holds([{ field, operator, value }], payload)).toBe(expected);
  });

  test('holds where there is none, and only with all others', () => {
    expect(holds([], payload)).toBe(true);
    const [is, isNot] = [
      { field: 'n', operator: 'equals', value: 5 },
      { field: 'n', operator: 'equals', value: 6 },
    ] as const;
    expect(holds([is, isNot], payload)).toBe(false);
  });
});

describe('in a text', () => {
  test.each([
    ['{{n}} and {{ deep.er.0.x }}', '5 and y'],
    ['[{{missing}}{{none}}]', '[]'],
    ['{{list}} {{deep}}', '["a","b",7] {"er":[{"x":"y"}]}'],
    ['{{no}} {{zero}}', 'false 0'],
    ['{{again}}', '{{n}}'],
    ['{n} {{}} {{n', '{n} {{}} {{n'],
    ['{{toString}}{{__proto__.x}}{{constructor.name}}', ''],
  ])('%s is %s', (template, expected) => {
    expect(createFiller(payload).text(template)).toBe(expected);
  });

  test('names of a body are its own', () => {
    expect(createFiller(payload).all({ '{{n}}': ['{{n}}', 1, null, true] })).toEqual({
      '{{n}}': ['5', 1, null, true],
    });
  });
});

describe('in an address', () => {
  const values = {
    host: 'site.example',
    base: 'https://site.example/v1',
    part: 'a/../b?c#d',
    half: '\ud800',
    up: '..',
    dot: '.',
    other: 'evil.example/?',
    evil: '.evil.example',
    port: 'a:80',
  };
  const url = (template: string) => createFiller(values).url(template);

  test.each([
    ['https://{{host}}/x', 'https://site.example/x'],
    ['https://{{host}}/{{part}}?q={{part}}', 'https://site.example/a%2F..%2Fb%3Fc%23d?q=a%2F..%2Fb%3Fc%23d'],
    [
      '{{base}}/orders/{{part}}?q={{part}}',
      'https://site.example/v1/orders/a%2F..%2Fb%3Fc%23d?q=a%2F..%2Fb%3Fc%23d',
    ],
    ['https://{{port}}/x', 'https://a:80/x'],
    ['https://site.example?q={{half}}', 'https://site.example?q=%EF%BF%BD'],
    ['https://site.example/a/../{{host}}', 'https://site.example/a/../site.example'],
    ['https://site.example/?up={{up}}', 'https://site.example/?up=..'],
  ])('%s is %s', (template, expected) => {
    expect(url(template)).toBe(expected);
  });

  test.each([
    'https://site.example/{{up}}/x',
    'https://site.example/x/{{dot}}{{dot}}',
    'https://site.example/%2e{{dot}}/x',
    'https://{{other}}.site.example/x',
    'https://site.example{{part}}',
    'https://site.example{{evil}}/',
  ])('no value leads elsewhere: %s', (template) => {
    expect(() => url(template)).toThrow(expect.objectContaining({ code: 'address_not_allowed' }));
  });

  test.each([
    ' http://site.example/{{part}}',
    'http:/site.example/{{part}}',
    'ftp://site.example/',
    '\thttp://site.example/',
  ])('what begins otherwise is none: %s', (template) => {
    expect(() => url(template)).toThrow(expect.objectContaining({ code: 'invalid_url' }));
  });

  test('what is none is refused', () => {
    expect(() => url('{{part}}')).toThrow(expect.objectContaining({ code: 'invalid_url' }));
  });
});

test('all that one action says has a bound', () => {
  const { text, all } = createFiller({ a: 'x'.repeat(400_000) });
  text('{{a}}');
  all(['{{a}}']);
  expect(() => text('{{a}}')).toThrow(expect.objectContaining({ code: 'too_large' }));
});

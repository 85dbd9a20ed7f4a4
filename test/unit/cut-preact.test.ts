// @vitest-environment happy-dom
/** The part of preact that the build keeps draws, and draws anew, as the whole does. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import type * as Preact from 'preact';
import { expect, test, vi } from 'vitest';
import { cutHooks, cutPreact } from '../../widget/build/cut-preact.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('preact'), 'utf8');
const load = async (code: string): Promise<typeof Preact> =>
  import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`);
const whole = await load(source);
const part = await load(cutPreact(source));

type Node = string | null | { name: string; key?: number; props: Record<string, unknown>; children: Node[] };

const { tree } = fc.letrec<{ tree: Node }>((again) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('one', 'two', '', null),
    fc.record({
      name: fc.constantFrom('p', 'ul', 'svg', 'path', 'input', 'textarea', 'Fragment', 'Twice'),
      key: fc.option(fc.nat(4), { nil: undefined }) as fc.Arbitrary<number>,
      props: fc.record(
        {
          class: fc.constantFrom('a', 'b', undefined),
          value: fc.constantFrom('x', 'y', null),
          checked: fc.boolean(),
          hidden: fc.boolean(),
          'aria-label': fc.constantFrom('this', false, true),
          onClick: fc.constantFrom(() => {}, null),
        },
        { requiredKeys: [] },
      ),
      children: fc.array(again('tree'), { maxLength: 4 }),
    }),
  ),
}));

/** Draws the trees one after the other, and tells after each what is there and which of the nodes stayed. */
function draw({ h, Fragment, render, createContext }: typeof Preact, trees: readonly Node[]): string[] {
  const Depth = createContext(0);
  const Twice = ({ children }: { children: Preact.ComponentChildren }) =>
    h(Depth.Provider, { value: 1 }, children, h('hr', null));
  const toVNode = (node: Node): Preact.ComponentChildren => {
    if (node === null || typeof node === 'string') return node;
    const { name, key, props, children } = node;
    const inside = ['input', 'textarea'].includes(name) ? [] : children.map(toVNode);
    if (name === 'Fragment') return h(Fragment, { key }, ...inside);
    if (name === 'Twice') return h(Twice, { key, children: inside });
    return h(name, { key, ...props } as object, ...inside);
  };
  const mount = document.createElement('div');
  const seen = new Map<unknown, number>();
  const told = trees.map((one) => {
    render(toVNode(one), mount);
    const nodes = [...mount.querySelectorAll('*')];
    for (const node of nodes) if (!seen.has(node)) seen.set(node, seen.size);
    return `${mount.innerHTML} ${nodes.map((node) => seen.get(node)).join()}`;
  });
  render(null, mount);
  return [...told, mount.innerHTML];
}

test('any trees, drawn one over the other', () => {
  fc.assert(
    fc.property(fc.array(tree, { minLength: 1, maxLength: 5 }), (trees) => {
      expect(draw(part, trees)).toEqual(draw(whole, trees));
    }),
    { numRuns: 1_000 },
  );
});

test('what a component throws is told, leaves what is beside it, and goes with the next tree', () => {
  const { h, render } = part;
  const told: unknown[] = [];
  vi.stubGlobal('reportError', (error: Error) => told.push(error.message));
  const mount = document.createElement('div');
  const Word = ({ text }: { text: string }) => {
    if (text === 'bad') throw new Error(text);
    return h('b', null, text);
  };
  const draw = (...texts: string[]) =>
    render(
      h(
        'p',
        null,
        texts.map((text, key) => h(Word, { text, key })),
      ),
      mount,
    );
  draw('Ada', 'asks', 'bad');
  expect(mount.innerHTML).toBe('<p><b>Ada</b><b>asks</b></p>');
  draw('bad', 'asks', 'on');
  expect(mount.innerHTML).toBe('<p><b>Ada</b><b>asks</b><b>on</b></p>');
  draw('Ben');
  expect(mount.innerHTML).toBe('<p><b>Ben</b></p>');
  draw('bad');
  render(h('ul', null, 'after'), mount);
  expect(mount.innerHTML).toBe('<ul>after</ul>');
  expect(told).toEqual(['bad', 'bad', 'bad']);
  vi.unstubAllGlobals();
});

test('inner HTML is set by nobody', () => {
  expect(cutPreact(source)).not.toContain('innerHTML');
});

test('another shape of preact ends the build', () => {
  expect(() => cutPreact(source.replaceAll('__P', '__Q'))).toThrow('another shape');
  expect(() => cutHooks(source)).toThrow('another shape');
});

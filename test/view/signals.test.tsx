// @vitest-environment happy-dom
/** The part of @preact/signals that the build keeps. The tests run with it too. */
import { readFileSync } from 'node:fs';
import { signal, useComputed, useSignal } from '@preact/signals';
import { cleanup, render, waitFor } from '@testing-library/preact';
import { useRef } from 'preact/hooks';
import { afterEach, expect, test } from 'vitest';
import { cutCore, cutSignals } from '../../widget/build/cut-signals.ts';

afterEach(cleanup);

test('a component is drawn anew with the signals it reads, and no other is', async () => {
  const read = signal('one');
  const drawn = { reader: 0, other: 0 };
  const Reader = () => {
    drawn.reader += 1;
    const [own, length] = [useSignal('own'), useComputed(() => read.value.length)];
    return (
      <button
        type="button"
        title={read.value}
        onClick={() => {
          own.value = 'changed';
        }}
      >
        {read.value} {own.value} {length.value}
      </button>
    );
  };
  const Other = () => {
    drawn.other += 1;
    return <i>{useRef(drawn.other).current}</i>;
  };
  const { container, unmount } = render(
    <div>
      <Reader />
      <Other />
    </div>,
  );
  const text = container.querySelector('button')!;
  expect(text.textContent).toBe('one own 3');
  read.value = 'three';
  await waitFor(() => expect(text.textContent).toBe('three own 5'));
  expect(text.title).toBe('three');
  text.click();
  await waitFor(() => expect(text.textContent).toBe('three changed 5'));
  expect(drawn).toEqual({ reader: 3, other: 1 });
  unmount();
  read.value = 'gone';
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(drawn.reader).toBe(3);
});

test('a signal that stands in JSX itself shows nothing: `.value` is read here', () => {
  const { container } = render(<p>{signal('unread')}</p>);
  expect(container.textContent).toBe('');
});

test('another shape of the package is refused', () => {
  const source = readFileSync('node_modules/@preact/signals/dist/signals.mjs', 'utf8');
  expect(cutSignals(source).length).toBeLessThan(source.length);
  expect(() => cutSignals(source.replace('"unmount"', '"removed"'))).toThrow('another shape');
  expect(() => cutSignals('export {}')).toThrow('another shape');
  const core = readFileSync('node_modules/@preact/signals-core/dist/signals-core.mjs', 'utf8');
  expect(cutCore(core).length).toBeLessThan(core.length);
  expect(() => cutCore(core.replace('watched', 'seen'))).toThrow('another shape');
});

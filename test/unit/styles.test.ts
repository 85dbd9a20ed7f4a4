/** The sheets of parts that are loaded later: none reaches into what another part shows. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Loaded with the chat, or with its button: what they dress is everybody's. */
const common = /^(chat|base|panel|messages|composer|launcher|box)\.css$/;

/** What each rule begins with, by sheet. */
const beginnings = readdirSync('widget/styles')
  .filter((name) => !common.test(name))
  .map((name) => {
    const text = readFileSync(`widget/styles/${name}`, 'utf8').replace(/\/\*.*?\*\//gs, '');
    const lists = [...text.matchAll(/(?<=^|[{};])([^{}@;]+)(?=\{)/g)].map(([, list = '']) => list);
    const selectors = lists.flatMap((list) => list.split(/,(?![^(]*\))/));
    return { name, first: selectors.map((one) => one.trim().split(/[\s>+~]/)[0] as string) };
  });
const toClasses = (first: readonly string[]) =>
  new Set(first.flatMap((one) => /^\.([\w-]+)/.exec(one)?.[1] ?? []));

test('a class with which rules of two parts begin is of one element that both dress', () => {
  const all = beginnings.flatMap(({ first }) => [...toClasses(first)]);
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter((one, at) => all.indexOf(one) !== at).sort()).toEqual(['acts', 'body']);
});

test('no rule of a part begins with an attribute, which any element may have', () => {
  const bare = beginnings.flatMap(({ name, first }) =>
    first.filter((one) => one.startsWith('[')).map((one) => `${name} ${one}`),
  );
  // The voice of a closed chat stands beside its button, where nothing else is.
  expect(bare).toEqual(['unread.css [part']);
});

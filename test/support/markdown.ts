/** What the markdown tests share: rendering without a browser, and the specifications' examples. */
import { createRequire } from 'node:module';
import { h } from 'preact';
import { loadReferences } from '../../widget/markdown/entities.ts';
import { createGrowing } from '../../widget/markdown/grow.ts';
import type { RenderContext } from '../../widget/markdown/render.tsx';
import { renderBlocks } from '../../widget/markdown/render.tsx';
import gfm from '../vectors/gfm-spec.json' with { type: 'json' };
import { english } from './english.ts';
import { toHtml } from './html.ts';

export type Example = { name: string; markdown: string; html: string };

await loadReferences();

/** Without the copy button, which no specification knows. */
const context: RenderContext = { sources: [], codeButtons: () => h('wbr', null), strings: english };

export function renderOnce(markdown: string): string {
  return toHtml(renderBlocks(createGrowing().update(markdown), context)).replaceAll('<wbr></wbr>', '');
}

/** Gives a renderer that is fed ever longer text, as a stream would. */
export function createRenderer(): (markdown: string) => string {
  const growing = createGrowing();
  return (markdown) => toHtml(renderBlocks(growing.update(markdown), context)).replaceAll('<wbr></wbr>', '');
}

type SpecTest = { markdown: string; html: string; section: string; number: number };
const spec = createRequire(import.meta.url)('commonmark-spec') as { tests: SpecTest[] };

export const commonMark: Example[] = spec.tests.map(({ number, section, markdown, html }) => ({
  name: `CommonMark ${number} (${section})`,
  markdown: markdown.replaceAll('→', '\t'),
  html: html.replaceAll('→', '\t'),
}));

export const gfmExamples: Example[] = gfm.examples.map(({ example, section, markdown, html }) => ({
  name: `GFM ${example} (${section})`,
  markdown,
  html,
}));

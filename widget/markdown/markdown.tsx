/** Shows markdown that may still grow: a block is rendered once, unless it is the open tail. */
import { useMemo } from 'preact/hooks';
import { createGrowing } from './grow.ts';
import type { Token } from './lex.ts';
import { type RenderContext, renderBlock } from './render.tsx';

type BlockProps = { token: Token; context: RenderContext; headingDepth: number };

function Block({ token, context, headingDepth }: BlockProps) {
  return useMemo(() => <>{renderBlock(token, context, headingDepth)}</>, [token, context, headingDepth]);
}

export function Markdown({ text, context }: { text: string; context: RenderContext }) {
  const growing = useMemo(createGrowing, []);
  return useMemo(() => {
    // Headings leave no level out, below that of the chat's own name.
    let depth = 2;
    const blocks = growing.update(text).map((token, index) => {
      if (token.type === 'heading') depth = Math.min(token.depth, depth + 1);
      return <Block key={index} token={token} context={context} headingDepth={depth} />;
    });
    return <>{blocks}</>;
  }, [text, context]);
}

/** Shows markdown that may still grow: a block is rendered once, unless it is the open tail. */
import { Component, type VNode } from 'preact';
import { createGrowing } from './grow.ts';
import type { Token } from './lex.ts';
import { type RenderContext, renderBlock } from './render.tsx';

type BlockProps = { token: Token; context: RenderContext; headingDepth: number };

class Block extends Component<BlockProps> {
  override shouldComponentUpdate(next: BlockProps): boolean {
    return next.token !== this.props.token || next.context !== this.props.context;
  }
  override render({ token, context, headingDepth }: BlockProps) {
    return renderBlock(token, context, headingDepth);
  }
}

type MarkdownProps = { text: string; context: RenderContext };

export class Markdown extends Component<MarkdownProps> {
  #growing = createGrowing();

  override shouldComponentUpdate(next: MarkdownProps): boolean {
    return next.text !== this.props.text || next.context !== this.props.context;
  }
  override render({ text, context }: MarkdownProps): VNode[] {
    // Headings leave no level out, below that of the chat's own name.
    let depth = 2;
    return this.#growing.update(text).map((token, index) => {
      if (token.type === 'heading') depth = Math.min(token.depth, depth + 1);
      return <Block key={index} token={token} context={context} headingDepth={depth} />;
    });
  }
}

/** Tokens → nodes from a closed list of elements. No HTML string exists on this path, live or from history. */
import type { ComponentChildren, VNode } from 'preact';
import { en } from '../strings/en.ts';
import { decodeEntities } from './entities.ts';
import type { Token, Tokens } from './lex.ts';
import { isMisleading, toSafeLink } from './url.ts';

/** What a rendering needs from its surroundings. */
export type RenderContext = { copyButton: (code: string) => VNode };

/** A frozen token is the same object each time, so what it became is kept with it. */
export function renderBlock(token: Token, context: RenderContext): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      const Heading = `h${token.depth}` as 'h1';
      return <Heading>{renderInline(token.tokens)}</Heading>;
    }
    case 'hr':
      return <hr />;
    case 'code':
      return renderCode(token as Tokens.Code, context);
    case 'blockquote':
      return <blockquote>{renderBlocks(token.tokens ?? [], context)}</blockquote>;
    case 'list':
      return renderList(token as Tokens.List, context);
    case 'table':
      return renderTable(token as Tokens.Table);
    case 'html':
      // Raw HTML is what the agent wrote, not what it may do.
      return <p>{token.raw.replace(/\n+$/, '')}</p>;
    case 'plain':
      return <p>{token.raw}</p>;
    case 'text':
      return token.tokens ? renderInline(token.tokens) : decodeEntities(token.text);
    default:
      return <p>{renderInline('tokens' in token ? token.tokens : undefined)}</p>;
  }
}

export function renderBlocks(tokens: readonly Token[], context: RenderContext): ComponentChildren[] {
  return tokens.map((token) => renderBlock(token, context));
}

function renderCode(token: Tokens.Code, { copyButton }: RenderContext) {
  const code = token.text === '' ? '' : `${token.text}\n`;
  return (
    <pre>
      <code>{code}</code>
      {copyButton(token.text)}
    </pre>
  );
}

function renderList(list: Tokens.List, context: RenderContext) {
  const items = list.items.map((item, index) => (
    <li key={index} class={item.task ? 'task' : undefined}>
      {item.tokens.map((token) => renderItemPart(token, item.loose || list.loose, context))}
    </li>
  ));
  if (!list.ordered) return <ul>{items}</ul>;
  const start = Number(list.start);
  return <ol start={start === 1 ? undefined : start}>{items}</ol>;
}

function renderItemPart(token: Token, loose: boolean, context: RenderContext): ComponentChildren {
  if (token.type === 'checkbox') return renderCheckbox(token.checked === true);
  if (token.type === 'text' && loose) return <p>{renderInline(token.tokens ?? [token])}</p>;
  return renderBlock(token, context);
}

function renderCheckbox(checked: boolean) {
  return (
    <input type="checkbox" disabled checked={checked} aria-label={checked ? en.taskDone : en.taskOpen} />
  );
}

function renderTable(table: Tokens.Table) {
  const toClass = (index: number) => (table.align[index] ? `align-${table.align[index]}` : undefined);
  return (
    <table>
      <thead>
        <tr>
          {table.header.map((cell, index) => (
            <th key={index} scope="col" class={toClass(index)}>
              {renderInline(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      {table.rows.length > 0 && (
        <tbody>
          {table.rows.map((row, rowIndex) => (
            <tr key={rowIndex}>
              {row.map((cell, index) => (
                <td key={index} class={toClass(index)}>
                  {renderInline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      )}
    </table>
  );
}

export function renderInline(tokens: readonly Token[] = [], inLink = false): ComponentChildren[] {
  const show = (text: string) => (inLink ? withoutTurns(text) : text);
  return tokens.map((token): ComponentChildren => {
    switch (token.type) {
      case 'strong':
        return <strong>{renderInline(token.tokens, inLink)}</strong>;
      case 'em':
        return <em>{renderInline(token.tokens, inLink)}</em>;
      case 'del':
        return <del>{renderInline(token.tokens, inLink)}</del>;
      case 'codespan':
        return <code>{show(token.text)}</code>;
      case 'br':
        return <br />;
      case 'checkbox':
        return renderCheckbox(token.checked === true);
      case 'link':
        // An address written as the text of a link leads nowhere of its own.
        if (inLink) return renderInline(token.tokens, true);
        return renderLink(token as Tokens.Link, renderInline(token.tokens, true), toText(token.tokens));
      case 'image':
        return inLink ? show(toText(token.tokens)) : renderImage(token as Tokens.Image);
      case 'escape':
        return show(token.text);
      case 'html':
        return show(token.raw);
      case 'text':
        return token.tokens ? renderInline(token.tokens, inLink) : show(decodeEntities(token.text));
      default:
        return show(token.raw);
    }
  });
}

function renderLink(
  token: { href: string; title?: string | null },
  content: ComponentChildren,
  text: string,
) {
  const link = toSafeLink(decodeEntities(token.href));
  // Without an address the element is no link: the text stays readable, and a click does nothing.
  // A key of its own: a link that turns out inert while it is written keeps nothing of what it was.
  // biome-ignore lint/a11y/useValidAnchor: an inert anchor is what is meant
  if (!link) return <a key="inert">{content}</a>;
  const title = token.title ? `${withoutTurns(decodeEntities(token.title))} (${link.host})` : link.host;
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow" title={title}>
      {content}
      {isMisleading(text, link.host) && ` (${link.host})`}
    </a>
  );
}

/** An image would call its host without being asked, so it waits behind a link that shows the host. */
function renderImage(token: Tokens.Image) {
  const alt = withoutTurns(toText(token.tokens));
  const host = toSafeLink(decodeEntities(token.href))?.host;
  return renderLink(token, host ? `${alt || 'Image'} (${host})` : alt, '');
}

/** Without the controls that turn the direction of what follows: a link must read as the address that it leads to. */
function withoutTurns(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
}

function toText(tokens: readonly Token[] = []): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens
        ? toText(token.tokens)
        : decodeEntities('text' in token ? String(token.text) : token.raw),
    )
    .join('');
}

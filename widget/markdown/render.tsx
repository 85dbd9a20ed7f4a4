/** Tokens → nodes from a closed list of elements. No HTML string exists on this path, live or from history. */
import type { ComponentChildren, VNode } from 'preact';
import type { Source } from '../../server-helper/protocol/wire.ts';
import type { Strings } from '../strings/en.ts';
import { decodeEntities } from './entities.ts';
import type { Token, Tokens } from './lex.ts';
import { isMisleading, toSafeLink } from './url.ts';

/** What a rendering needs from its surroundings. */
export type RenderContext = {
  codeButtons: (code: string) => VNode;
  strings: Pick<Strings, 'taskDone' | 'taskOpen' | 'image'>;
  /** What a number in brackets leads to. */
  sources: readonly Source[];
};

/** @param headingDepth where another than the author's is wanted */
export function renderBlock(token: Token, context: RenderContext, headingDepth?: number): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      const Heading = `h${headingDepth ?? token.depth}` as 'h1';
      return <Heading>{renderInline(token.tokens, context)}</Heading>;
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
      return renderTable(token as Tokens.Table, context);
    case 'html':
      // Raw HTML is what the agent wrote, not what it may do.
      return <p>{withoutTurns(token.raw.replace(/\n+$/, ''))}</p>;
    case 'plain':
      return <p>{withoutTurns(token.raw)}</p>;
    case 'text':
      return renderInline([token], context);
    default:
      return <p>{renderInline('tokens' in token ? token.tokens : undefined, context)}</p>;
  }
}

export function renderBlocks(tokens: readonly Token[], context: RenderContext): ComponentChildren[] {
  return tokens.map((token) => renderBlock(token, context));
}

/** As it is named behind the fence; anything longer is no name. */
const languageName = /^[\w+#.-]{1,20}/;

function renderCode(token: Tokens.Code, { codeButtons }: RenderContext) {
  const code = token.text === '' ? '' : `${token.text}\n`;
  return (
    <pre>
      <code data-language={languageName.exec(token.lang ?? '')?.[0]}>{code}</code>
      {codeButtons(token.text)}
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
  if (token.type === 'checkbox') return renderCheckbox(token.checked === true, context);
  if (token.type === 'text' && loose) return <p>{renderInline([token], context)}</p>;
  return renderBlock(token, context);
}

function renderCheckbox(checked: boolean, { strings }: RenderContext) {
  return (
    <input
      type="checkbox"
      disabled
      checked={checked}
      aria-label={checked ? strings.taskDone : strings.taskOpen}
    />
  );
}

function renderTable(table: Tokens.Table, context: RenderContext) {
  const toClass = (index: number) => (table.align[index] ? `align-${table.align[index]}` : undefined);
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} scope="col" class={toClass(index)}>
                {renderInline(cell.tokens, context)}
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
                    {renderInline(cell.tokens, context)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        )}
      </table>
    </div>
  );
}

function renderInline(
  tokens: readonly Token[] = [],
  context: RenderContext,
  inLink = false,
): ComponentChildren[] {
  return tokens.map((token): ComponentChildren => {
    switch (token.type) {
      case 'strong':
      case 'em':
      case 'del': {
        const Mark = token.type as 'em';
        return <Mark>{renderInline(token.tokens, context, inLink)}</Mark>;
      }
      case 'codespan':
        return <code>{withoutTurns(token.text)}</code>;
      case 'br':
        return <br />;
      case 'checkbox':
        return renderCheckbox(token.checked === true, context);
      case 'link':
        // An address written as the text of a link leads nowhere of its own.
        if (inLink) return renderInline(token.tokens, context, true);
        return renderTokenLink(
          token as Tokens.Link,
          renderInline(token.tokens, context, true),
          toText(token.tokens),
        );
      case 'image':
        return inLink ? withoutTurns(toText(token.tokens)) : renderImage(token as Tokens.Image, context);
      case 'escape':
        return withoutTurns(token.text);
      case 'text':
        return token.tokens
          ? renderInline(token.tokens, context, inLink)
          : renderText(withoutTurns(decodeEntities(token.text)), inLink ? [] : context.sources);
      default:
        return withoutTurns(token.raw);
    }
  });
}

/** `[1]` is a mark of the first source. */
function renderText(text: string, sources: readonly Source[]): ComponentChildren {
  if (sources.length === 0) return text;
  return text.split(/(\[\d+\])/).map((part) => {
    const { url, title = '' } = sources.find(({ number }) => part === `[${number}]`) ?? {};
    return url === undefined ? part : <sup>{renderLink(url, title, part, part)}</sup>;
  });
}

/** Nothing that can be seen, and so nothing that could be clicked. */
const unseen = /^[\s\p{C}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

const renderTokenLink = (
  { href, title }: { href: string; title?: string | null },
  content: ComponentChildren,
  text: string,
) => renderLink(decodeEntities(href), decodeEntities(title ?? ''), content, text);

function renderLink(address: string, about: string, content: ComponentChildren, text: string) {
  const link = toSafeLink(address);
  // Without an address the element is no link: the text stays readable, and a click does nothing.
  // A key of its own: a link that turns out inert while it is written keeps nothing of what it was.
  // biome-ignore lint/a11y/useValidAnchor: an inert anchor is what is meant
  if (!link) return <a key="inert">{content}</a>;
  const title = about ? `${withoutTurns(about)} (${link.host})` : link.host;
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow" title={title}>
      {unseen.test(text) ? link.host : content}
      {isMisleading(text, link.host) && ` (${link.host})`}
    </a>
  );
}

/** An image would call its host without being asked, so it waits behind a link that shows the host. */
function renderImage(token: Tokens.Image, { strings }: RenderContext) {
  const alt = withoutTurns(toText(token.tokens));
  const host = toSafeLink(decodeEntities(token.href))?.host;
  const text = host ? `${alt || strings.image} (${host})` : alt;
  return renderTokenLink(token, text, text);
}

/** Without the controls that turn the direction of what follows: a link beside them must read as what it leads to. */
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

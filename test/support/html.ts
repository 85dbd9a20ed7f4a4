/** Writes a tree of vnodes as HTML, so that what the markdown renderer makes can be compared with a specification. */
import { type ComponentChildren, Fragment, type VNode } from 'preact';

const voidElements = new Set(['br', 'hr', 'img', 'input']);

export function toHtml(children: ComponentChildren): string {
  if (children === null || children === undefined || typeof children === 'boolean') return '';
  if (Array.isArray(children)) return children.map(toHtml).join('');
  if (typeof children !== 'object') return escapeText(String(children));
  const { type, props } = children as VNode<Record<string, unknown>>;
  const inner = toHtml(props.children as ComponentChildren);
  if (type === Fragment) return inner;
  if (typeof type !== 'string') throw new TypeError('a component is not expected inside an answer');
  const attributes = Object.entries(props)
    .filter(([name, value]) => name !== 'children' && value !== undefined && value !== false && value !== '')
    .map(([name, value]) => (value === true ? ` ${name}=""` : ` ${name}="${escapeText(String(value))}"`))
    .join('');
  return voidElements.has(type) ? `<${type}${attributes}>` : `<${type}${attributes}>${inner}</${type}>`;
}

function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

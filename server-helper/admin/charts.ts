/** Charts as SVG: bars alone, whose numbers are told by their titles and by a table. */
import { html } from 'hono/html';

/** `kind` is its class. */
export type Part = { kind: string; value: number };
export type Column = { label: string; parts: readonly Part[] };

const slot = 10;
const barWidth = 7;
const height = 100;

/** Columns of stacked parts, the first at the bottom. @param title of a column, for the pointer */
export function columnChart(columns: readonly Column[], title: (column: Column) => string) {
  const most = Math.max(1, ...columns.map(toSum));
  return html`<svg class="columns" viewBox="0 0 ${columns.length * slot} ${height}" preserveAspectRatio="none" aria-hidden="true">
    ${columns.map((column, at) => {
      let top = height;
      const x = at * slot + (slot - barWidth) / 2;
      return html`<g><title>${title(column)}</title><rect class="ground" x="${at * slot}" width="${slot}" height="${height}" />
        ${column.parts.map(({ kind, value }) => {
          const size = (value / most) * height;
          top -= size;
          return html`<rect class="${kind}" x="${x}" y="${top.toFixed(2)}" width="${barWidth}" height="${size.toFixed(2)}" />`;
        })}</g>`;
    })}
  </svg>`;
}

/** One bar of parts, from left to right. */
export function barChart(parts: readonly Part[], whole = toSum({ parts })) {
  let left = 0;
  return html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <rect class="ground" width="100" height="10" />
    ${parts.map(({ kind, value }) => {
      const size = whole > 0 ? (value / whole) * 100 : 0;
      left += size;
      return html`<rect class="${kind}" x="${(left - size).toFixed(2)}" width="${size.toFixed(2)}" height="10" />`;
    })}
  </svg>`;
}

export function toSum({ parts }: { parts: readonly Part[] }): number {
  return parts.reduce((sum, { value }) => sum + value, 0);
}

/** A list of the API, page by page, as a table; on a phone each row is a card. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Answer, Input } from './api.ts';
import { type Loaded, useLoad } from './load.ts';
import { Pages } from './pages.tsx';
import { Waiting } from './parts.tsx';

export interface Column {
  label: string;
  of(row: Answer, loaded: Loaded): ComponentChildren;
}

export interface ListProps {
  /** What it lists, for who does not see it. */
  name: string;
  path: string;
  /** Of the answer. */
  list: string;
  input?: Input;
  columns: readonly Column[];
  empty: string;
  isChanging?(row: Answer): boolean;
  /** Below the table. */
  children?(loaded: Loaded): ComponentChildren;
}

const perPage = 20;

export function List({ name, path, list, input = {}, columns, empty, isChanging, children }: ListProps) {
  const [page, setPage] = useState(1);
  const loaded = useLoad(
    path,
    { ...input, page, per_page: perPage },
    isChanging && ((data: Answer) => data[list].some(isChanging)),
  );
  const { data, error, isBusy, reload } = loaded;
  const { total = 0, total_pages: pages = 0 } = data?.pagination ?? {};
  // The last row of the last page was deleted.
  const isBeyond = data !== undefined && page > Math.max(pages, 1);
  useEffect(() => {
    if (isBeyond) setPage(Math.max(pages, 1));
  }, [isBeyond]);
  const waiting = <Waiting error={error} reload={reload} />;
  if (!data) return waiting;
  const rows = data[list] as Answer[];
  const shown = data.pagination?.page ?? page;
  // It is told where the one is who turned the page.
  const isBelow = page > 1 || shown > 1;
  return (
    <>
      {error && !isBelow && waiting}
      {rows.length === 0 && total === 0 ? (
        <p class="faint">{empty}</p>
      ) : (
        <table class="list" aria-label={name} aria-busy={isBusy}>
          <thead>
            <tr>
              {columns.map(({ label }) => (
                <th key={label} scope="col">
                  {label === '' ? <span class="unseen">Actions</span> : label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={row.uuid ?? row.id ?? row.chat_id ?? index}>
                {columns.map(({ label, of }) => (
                  <td key={label} data-label={label}>
                    {of(row, loaded)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {error && isBelow && waiting}
      <Pages
        page={page}
        shown={shown}
        pages={pages}
        turn={setPage}
        labels={['Newer', 'Page', 'Older']}
        more={`, ${total.toLocaleString()} in all`}
      />
      {children?.(loaded)}
    </>
  );
}

/** Of what is open: as the last change was answered with, or as it is listed, whichever is newer. */
export function latest(open: Answer, listed: readonly Answer[]): Answer {
  const found = listed.find(({ uuid }) => uuid === open.uuid);
  return found && found.updated_at > open.updated_at ? found : open;
}

export const toName = (name: string) => name.trim() || 'Without name';

/** In the time zone of who looks. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="faint">never</span>;
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return <time dateTime={at}>{format.format(new Date(at))}</time>;
}

const good = ['success', 'delivered', 'active', 'sent', 'replied', 'on'];
const bad = ['failed', 'error'];

export function State({ children: text }: { children: string }) {
  const kind = good.includes(text) ? 'good' : bad.includes(text) ? 'bad' : 'open';
  return <span class={`state ${kind}`}>{text}</span>;
}

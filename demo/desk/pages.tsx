/** From one page of a list to the next. */

interface PagesProps {
  /** That is asked for, and that is there. */
  page: number;
  shown: number;
  pages: number;
  turn(page: number): void;
  labels: readonly [back: string, page: string, on: string];
  more?: string;
}

/** Of what is shown the page is named: the one that is asked for may not come. */
export function Pages({ page, shown, pages, turn, labels: [back, name, on], more = '' }: PagesProps) {
  if (pages <= 1) return null;
  return (
    <p class="pages">
      <button type="button" aria-disabled={page === 1} onClick={() => page > 1 && turn(page - 1)}>
        {back}
      </button>
      <span>
        {name} {shown} of {pages}
        {more}
      </span>
      <button type="button" aria-disabled={page >= pages} onClick={() => page < pages && turn(page + 1)}>
        {on}
      </button>
    </p>
  );
}

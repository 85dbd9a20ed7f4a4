/** Pages of a list: by default of 10 entries, at most 100 where nothing else is said, larger is clamped. */

export interface Page {
  page: number;
  perPage: number;
}

export function readPage(
  input: { page?: string | number | undefined; per_page?: string | number | undefined },
  perPage = 10,
  most = 100,
): Page {
  return { page: toCount(input.page, 1), perPage: Math.min(most, toCount(input.per_page, perPage)) };
}

export function toOffset({ page, perPage }: Page): number {
  return (page - 1) * perPage;
}

/** `{page, per_page, total, total_pages}`. */
export function toPagination({ page, perPage }: Page, total: number) {
  return { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) };
}

/** Digits alone are a number: 2.5 is none. */
function toCount(value: string | number | undefined, fallback: number): number {
  const count = /^\d+$/.test(String(value)) ? Number(value) : 0;
  return count >= 1 ? Math.min(count, 1_000_000) : fallback;
}

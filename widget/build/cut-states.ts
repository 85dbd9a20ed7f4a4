/** For the build: leaves out of the table of states the ways that visitors go by themselves. The widget offers `retry` alone. */

const first = /const retry\b.*= \{ way: ["']retry["'] \};/;

/**
 * @param code of widget/states.ts, with its types or without
 * @throws when it has another shape than this was written for
 */
export function cutStates(code: string): string {
  const begin = code.search(first);
  if (begin < 0) throw new Error('the table of states has another shape now: see widget/build/cut-states.ts');
  return code.slice(0, begin) + code.slice(begin).replace(/\bway: (["'])(?!retry\1)[\w-]+\1(?:,\s*)?/g, '');
}

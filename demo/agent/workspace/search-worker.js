/** The process in which patterns of a model's are matched, so that it can be killed: plain JavaScript, for it runs as it lies here. */

import { Worker } from 'node:worker_threads';
import picomatch from 'picomatch';

/**
 * @typedef {import('./search.ts').Grep} Grep
 * @typedef {import('./search.ts').SearchJob} SearchJob
 * @typedef {import('./search.ts').Match} Match
 */

/** Lists end there. */
const most = 1_000;
const mostOfFile = 100;
/** Of a line that is shown. */
const maxChars = 1_000;
/** Of all that is shown. */
const mostChars = 100_000;

/** Whoever started it has killed it by then, unless it was killed itself; and a pattern may keep all but another thread busy. */
const mostMs = 10_000;
new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${mostMs})`, { eval: true });

/** @type {SearchJob} */
const job = await new Promise((resolve) => {
  process.once('message', (/** @type {{ job: SearchJob }} */ message) => resolve(message.job));
});

/** @param {string} pattern */
const toMatcher = (pattern) => picomatch(pattern.replace(/^\//, ''), { dot: true, nonegate: true });
const isIncluded = job.include.length === 0 ? () => true : toAny(job.include);
const isExcluded = toAny(job.exclude);

/** @param {readonly string[]} patterns */
function toAny(patterns) {
  const matchers = patterns.map(toMatcher);
  return (/** @type {string} */ path) => matchers.some((matches) => matches(path));
}

/** Of paths, which are relative to where the search is. @param {string} path */
const isMeant = (path) => isIncluded(path) && !isExcluded(path);

/** @type {Match[]} */
const matches = [];
/** @type {string[]} */
const files = [];
let truncated = false;
/** That may still be shown. */
let left = mostChars;

/** @param {string} text */
const cut = (text) => {
  if (text.length <= maxChars) return text;
  truncated = true;
  return text.slice(0, maxChars);
};

/** @param {string} text @returns {string[]} */
function toLines(text) {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/**
 * The lines that match, by their numbers from 0, and what is shown of each.
 * @param {Grep} grep @param {RegExp} pattern @param {string} text @param {string[]} lines
 * @returns {Generator<[first: number, last: number, text: string]>}
 */
function* find(grep, pattern, text, lines) {
  if (!grep.multiline) {
    for (const [at, line] of lines.entries())
      if (pattern.test(line) !== grep.invert_match) yield [at, at, line];
    return;
  }
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  let line = 0;
  const lineOf = (/** @type {number} */ index) => {
    while (line + 1 < starts.length && /** @type {number} */ (starts[line + 1]) <= index) line += 1;
    return line;
  };
  let next = 0;
  for (const match of text.matchAll(pattern)) {
    const first = lineOf(match.index);
    const last = lineOf(Math.max(match.index, match.index + match[0].length - 1));
    if (first >= lines.length) break;
    if (!grep.invert_match) yield [first, last, match[0]];
    else for (; next < first; next += 1) yield [next, next, lines[next] ?? ''];
    next = Math.max(next, last + 1);
    line = first;
  }
  if (grep.invert_match) for (; next < lines.length; next += 1) yield [next, next, lines[next] ?? ''];
}

/** @param {Grep} grep @param {RegExp} pattern @param {string} path @param {string} text */
function search(grep, pattern, path, text) {
  const lines = toLines(text);
  let found = 0;
  for (const [first, last, shown] of find(grep, pattern, text, lines)) {
    found += 1;
    if (grep.files_without_match) break;
    if (found > mostOfFile || isFull()) {
      truncated = true;
      break;
    }
    const match = {
      path,
      line: first + 1,
      text: cut(shown),
      before: lines.slice(Math.max(0, first - grep.context), first).map(cut),
      after: lines.slice(last + 1, last + 1 + grep.context).map(cut),
    };
    matches.push(match);
    left -= [path, match.text, ...match.before, ...match.after].reduce((sum, { length }) => sum + length, 0);
  }
  if (found > 0 !== grep.files_without_match) addFile(path);
}

/** @param {string} path */
function addFile(path) {
  files.push(path);
  left -= path.length;
}

const { grep } = job;
/** Line by line it begins anew. */
const pattern = grep && toPattern(grep);

/** Characters are whole where the pattern can be read so. @param {Grep} grep */
function toPattern({ pattern, multiline, case_sensitive: isExact }) {
  const flags = `${multiline ? 'gm' : ''}${isExact ? '' : 'i'}`;
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    return new RegExp(pattern, flags);
  }
}
const isFull = () => left <= 0 || (grep?.files_without_match ? files.length : matches.length) >= most;

/** @param {import('./search.ts').SearchMessage} message @returns {import('./search.ts').SearchReply} */
function reply(message) {
  switch (message.type) {
    case 'job':
      return { type: 'ready' };
    case 'paths':
      return { type: 'meant', paths: message.paths.filter(isMeant) };
    case 'files':
      for (const { path, content } of message.files) {
        if (isFull()) break;
        // Of bytes there are no lines.
        if (grep && pattern && !content.includes(0))
          search(grep, pattern, path, new TextDecoder().decode(content).replaceAll('\r\n', '\n'));
      }
      if (isFull()) truncated = true;
      return { type: 'searched', isFull: isFull() };
    case 'end':
      return { type: 'result', matches, files, truncated };
  }
}
process.on('message', (/** @type {import('./search.ts').SearchMessage} */ message) =>
  process.send?.(reply(message)),
);
process.on('disconnect', () => process.exit());
process.send?.(reply({ type: 'job', job }));

/** The owner's page: what the chat is asked, and how it fares. Counts alone, and no script. */
import { html, raw } from 'hono/html';
import type { Gauges } from '../metrics.ts';
import { barChart, type Column, columnChart, toSum } from './charts.ts';
import { type Named, type Numbers, shownDays } from './numbers.ts';
import css from './page.css?raw';

export type PageParts = { botId: string; numbers: Numbers; gauges: Gauges; now: Date; nonce: string };

const format = new Intl.NumberFormat('en');
const inDay = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const inHour = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const toHour = (hour: number) => `${String(hour).padStart(2, '0')}:00`;
const toShare = (part: number, whole: number) => (whole > 0 ? `${Math.round((part / whole) * 100)} %` : '–');
const toSeconds = (bound: string) => (bound === 'longer' ? 'over 60 s' : `${bound} s`);
const toWithin = (bound: string) => (bound === 'longer' ? toSeconds(bound) : `≤ ${toSeconds(bound)}`);

export function writePage({ botId, numbers, gauges, now, nonce }: PageParts) {
  const { total, votes, wait, days, hours } = numbers;
  const today = days.at(-1);
  const daily = days.map(({ date, completed, stopped, failed }) => ({
    label: inDay.format(date),
    parts: [
      { kind: 'completed', value: completed },
      { kind: 'stopped', value: stopped },
      { kind: 'failed', value: failed },
    ],
  }));
  const hourly = hours.map((value, hour) => ({ label: toHour(hour), parts: [{ kind: 'asked', value }] }));
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Porchlight: ${botId}</title>
<style nonce="${nonce}">${raw(css)}</style>
</head>
<body>
<header><h1>Porchlight <span>${botId}</span></h1><p>The last ${shownDays} days, as of ${inHour.format(now)} ${timeZone}. <a href="">Read again</a></p></header>
<main>
<dl class="tiles">
${tile('Questions', format.format(total.all), `${format.format(today ? today.completed + today.stopped + today.failed : 0)} today`)}
${tile('Completed', toShare(total.completed, total.all), `${format.format(total.stopped)} stopped, ${format.format(total.failed)} failed`)}
${tile('First word', wait ? toWithin(wait.half) : '–', wait ? `of half; of nine in ten ${toWithin(wait.most)}` : 'nothing answered yet')}
${tile('Liked', toShare(votes.up, votes.up + votes.down), `${format.format(votes.up)} up, ${format.format(votes.down)} down`)}
</dl>
${figure(
  'Questions a day',
  daily,
  [daily[0]!.label, daily[shownDays / 2]!.label, 'today'],
  [
    ['Day', 'Completed', 'Stopped', 'Failed'],
    ...daily.map(({ label, parts }) => [label, ...parts.map(({ value }) => format.format(value))]),
  ],
  key(['completed', 'Completed'], ['stopped', 'Stopped by the visitor'], ['failed', 'Failed']),
)}
${figure(
  `Hours of the day, ${timeZone}`,
  hourly,
  [toHour(0), toHour(12), toHour(23)],
  [['Hour', 'Questions'], ...hourly.map(({ label, parts }) => [label, format.format(parts[0]!.value)])],
)}
<div class="lists">
${list(
  'First word within',
  toReached(numbers.firstWord).map(({ name, count }) => ({ name: toSeconds(name), count })),
  'asked',
  'Nothing has been answered yet.',
)}
${list('Failures by code', numbers.failures, 'failed', 'None.')}
${list('Calls of the agent that were refused or got lost', numbers.calls, 'failed', 'None.')}
${list('Limits that were reached', numbers.limits, 'stopped', 'None.')}
<section class="now"><h2>This process, now</h2>${nowList(gauges)}</section>
</div>
</main>
</body>
</html>`;
}

const tile = (name: string, value: string, more: string) =>
  html`<div><dt>${name}</dt><dd>${value}<small>${more}</small></dd></div>`;

const key = (...kinds: [kind: string, name: string][]) =>
  html`<p class="key" aria-hidden="true">${kinds.map(([kind, name]) => html`<span class="${kind}">${name}</span>`)}</p>`;

const tellColumn = ({ label, parts }: Column) =>
  `${label}: ${parts.map(({ kind, value }) => `${format.format(value)} ${kind}`).join(', ')}`;

type Html = ReturnType<typeof html>;

/** @param labels of the first column, one in the middle and the last @param rows the same as a table */
function figure(
  title: string,
  columns: readonly Column[],
  labels: readonly string[],
  [head = [], ...body]: readonly string[][],
  keys: Html | string = '',
) {
  const most = Math.max(...columns.map(toSum));
  return html`<figure><figcaption>${title}<small>${most > 0 ? `at most ${format.format(most)}` : ''}</small></figcaption>
${keys}${columnChart(columns, tellColumn)}
<p class="axis" aria-hidden="true">${labels.map((label) => html`<span>${label}</span>`)}</p>
<details><summary>Numbers</summary><table><thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${body.map(
    ([first, ...cells]) =>
      html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></details></figure>`;
}

function list(title: string, all: readonly Named[], kind: string, none: string) {
  const most = Math.max(0, ...all.map(({ count }) => count));
  const rows =
    most === 0
      ? html`<p>${none}</p>`
      : html`<ul>${all.map(
          ({ name, count }) =>
            html`<li><span>${name}</span>${barChart([{ kind, value: count }], most)}<b>${format.format(count)}</b></li>`,
        )}</ul>`;
  return html`<section><h2>${title}</h2>${rows}</section>`;
}

/** Up to the last that there is any of. */
function toReached(all: readonly Named[]): Named[] {
  return all.slice(0, all.findLastIndex(({ count }) => count > 0) + 1);
}

function nowList({ liveTurns, readers, heldBytes, process }: Gauges) {
  const toMega = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const rows = [
    ['Answers that run', format.format(liveTurns)],
    ['Open streams', format.format(readers)],
    ['Held for readers', toMega(heldBytes)],
  ];
  if (process)
    rows.push(
      ['Memory', toMega(process.residentBytes)],
      ['Event loop’s delay, p99', `${(process.delaySeconds.p99 * 1000).toFixed(1)} ms`],
    );
  return html`<dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

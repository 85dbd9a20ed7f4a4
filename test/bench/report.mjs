/** Figures → the tables of RESULTS.md: ratios first, since they outlive the machine. */

const number = (value, digits = 0) =>
  Number.isFinite(value)
    ? value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
    : '–';

const toTable = (head, rows) =>
  [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

/** Against a goal: said in words, so that nobody has to compare. */
const judge = (value, goal, digits = 2) =>
  `${number(value, digits)} (goal ≤ ${goal}: ${value <= goal ? 'met' : 'missed'})`;

export const goals = { spliceRatio: 1.1, kbPerStream: 20, secondTurnMs: 0.4, widgetRatio: 3, exponent: 1.15 };

/** Adds what is compared with the goals. */
export function addRatios({ relay, widget, ...rest }) {
  if (relay) {
    const { direct } = relay.paced;
    for (const one of Object.values(relay.paced)) {
      one.addedP50Us = one.p50Us - direct.p50Us;
      one.addedP99Us = one.p99Us - direct.p99Us;
    }
  }
  return { ...rest, ...(relay && { relay }), ...(widget && { widget }) };
}

function toRelayTables({ paced, rounds, memory, levels, redis }) {
  const rows = Object.entries(paced).map(([name, one]) => [
    name,
    number(one.cpuPerDeltaUs, 1),
    number(one.ratio, 2),
    number(one.addedP50Us),
    number(one.addedP99Us),
    number(one.firstMs, 1),
    number(one.firstTurnMs, 2),
    number(one.secondTurnMs, 2),
    number(one.foreignLoad, 2),
  ]);
  const silent = Object.entries(memory).map(([name, one]) => [
    name,
    number(one.baseMb),
    ...levels.flatMap((level) => [number(one[`kbAt${level}`], 1), number(one[`kbCollectedAt${level}`], 1)]),
  ]);
  const largest = levels.at(-1);
  return [
    '## Relay',
    `100 streams of 50 deltas a second, spread over the period; agent, relay and visitors share one core. CPU is the relay’s own, kernel time included. “Added” is against \`direct\`; \`splice\` hands bytes from socket to socket with nothing read, the least that a relay on Node can do. First words: of 100 streams that begin within a second, then one after the other of a conversation’s first turn, for which a workspace is made, and of its second. Medians of ${rounds} rounds, ratios taken within a round. “Foreign load” is the share of the core that others took: from about 0.1 on, delays say little.`,
    toTable(
      [
        'relay',
        ...['CPU µs a delta', '× nginx', 'added p50 µs', 'added p99 µs'],
        ...['first words ms', 'first turn ms', 'second turn ms', 'foreign load'],
      ],
      rows,
    ),
    `Helper × splice: ${judge(paced.helper.cpuPerDeltaUs / paced.splice.cpuPerDeltaUs, goals.spliceRatio)}; × nginx: ${number(paced.helper.ratio, 2)}, and the splice ${number(paced.splice.ratio, 2)}. Second turn, added to nginx’s: ${judge(paced.helper.secondTurnMs - paced.nginx.secondTurnMs, goals.secondTurnMs)} ms. On Redis × in memory: ${number(paced['helper on Redis'].cpuPerDeltaUs / paced.helper.cpuPerDeltaUs, 2)} (goal ≤ 1.3).`,
    'Memory of an open, silent stream (kB of RSS, 1 kB = 1000 bytes):',
    toTable(
      [
        'relay',
        'at rest MB',
        ...levels.flatMap((level) => [`${number(level)} streams`, 'garbage collected']),
      ],
      silent,
    ),
    `Helper at ${number(largest)} streams, garbage collected: ${judge(memory.helper[`kbCollectedAt${largest}`], goals.kbPerStream, 1)} kB.`,
    `A Redis that one helper with ${number(redis.streams)} streams of ${redis.hz} deltas a second writes to: ${number(100 * redis.redisShare, 1)} % of a core, ${number(redis.callsPerSecond)} commands a second, those of its script included, ${number(redis.kbPerStream, 1)} kB a stream to begin with and ${number(redis.bytesPerDelta)} bytes a delta; the helper takes ${number(redis.helperUsPerDelta, 1)} µs of its core a delta.`,
  ];
}

function toWidgetTables({ fast, paced, growth, exponent, baselineExponent }) {
  const row = (name, one) => [
    name,
    number(one.deltas),
    number(one.baselineMs),
    number(one.widgetMs),
    number(one.ratio, 2),
    number(one.scriptMs),
    number(one.layoutMs),
    number(one.longestTaskMs),
  ];
  return [
    '## Widget',
    'CPU of the main thread (ticks of the thread) while an answer of markdown streams in, against a page that reads the same stream and shows ready-made HTML once, at the end.',
    toTable(
      ['case', 'deltas', 'HTML once ms', 'widget ms', 'ratio', 'script ms', 'layout ms', 'longest task ms'],
      [
        row('20 KB, as fast as possible', fast),
        row('20 KB, 200 deltas a second', paced),
        ...growth.map((one) => row(`${one.bytes / 1000} KB, 2,000 a second`, one)),
      ],
    ),
    `As fast as possible: ${judge(fast.ratio, goals.widgetRatio)}; at 200 a second: ${judge(paced.ratio, goals.widgetRatio)}. From 20 to 80 KB cost grows as size to the power of ${judge(exponent, goals.exponent)}; HTML set once: ${number(baselineExponent, 2)}.`,
  ];
}

function toAgentTables({ rows, crawl, drained, statistics, tools }) {
  return [
    '## Agent service',
    'The local agent service over HTTP, on a file: a search over its sources, and a chat call until the first frame of its stream.',
    toTable(
      ['sources', 'chats', 'search ms', 'p99', 'chat start ms', 'p99'],
      rows.map((one) => [
        number(one.sources),
        number(one.chats),
        number(one.searchMs, 1),
        number(one.searchP99Ms, 1),
        number(one.chatMs, 1),
        number(one.chatP99Ms, 1),
      ]),
    ),
    `From ${number(rows[0].sources)} to ${number(rows.at(-1).sources)} sources a search costs ${number(rows.at(-1).searchMs / rows[0].searchMs, 1)} times as much. A site of ${number(crawl.pages)} pages on the same machine is read in ${number(crawl.ms / 1000, 1)} s; its progress could be read ${number(crawl.told)} times meanwhile.`,
    ...(drained
      ? [
          `${number(drained.webhooks)} webhooks that wait are delivered in ${number(drained.ms / 1000, 1)} s; of the chats that begin meanwhile, p99 is ${number(drained.p99Ms, 1)} ms, ${number(drained.p99Ms / drained.p99WithoutMs, 2)} times as long as without.`,
        ]
      : []),
    ...(statistics
      ? [
          `The statistics of an agent with ${number(statistics.messages)} messages, of all time, of the middle half of it and of its last 30 days, medians:`,
          toTable(
            ['statistic', 'all ms', 'half ms', '30 days ms'],
            statistics.rows.map(({ name, allMs, halfMs, monthMs }) => [
              name,
              number(allMs, 1),
              number(halfMs, 1),
              number(monthMs, 1),
            ]),
          ),
        ]
      : []),
    ...(tools
      ? [
          `A turn of a scripted model that calls one tool over a workspace of ${number(tools.files)} files, medians, and the longest that a call of somebody else waited meanwhile:`,
          toTable(
            ['tool', 'turn ms', 'others waited ms'],
            tools.rows.map(({ name, ms, longestMs }) => [name, number(ms), number(longestMs)]),
          ),
        ]
      : []),
  ];
}

function toCrowdTables(rows) {
  return [
    '## A crowd',
    'The helper’s heap, garbage collected, after so many addresses have each come as a new guest and looked at their list; the store is a file.',
    toTable(
      ['addresses', 'heap MB', 'refused'],
      rows.map(({ addresses, heapMb, refused }) => [number(addresses), number(heapMb, 1), number(refused)]),
    ),
    `From ${number(rows.at(-2).addresses)} to ${number(rows.at(-1).addresses)} addresses it grows by ${number(rows.at(-1).heapMb - rows.at(-2).heapMb, 1)} MB.`,
  ];
}

export function toReport({ machine, size, relay, widget, agent, crowd }) {
  const { cpu, cores, linux, node, nginx, chromium } = machine;
  return `${[
    '# Benchmarks',
    `\`npm run bench\` on ${cpu}, ${cores} cores, Linux ${linux}, Node ${node}, nginx ${nginx ?? '(none)'}, Chromium ${chromium ?? '(none)'}. Medians; all of a table in one run, in turns. Ratios can be compared across machines, though not closely; the rest cannot. The figures are in \`results.json\`.`,
    `Size, Brotli 11: ${number(size.loader)} B before the chat is opened, ${number(size.all)} B in all (\`npm run size\`).`,
    ...(relay ? toRelayTables(relay) : []),
    ...(widget ? toWidgetTables(widget) : []),
    ...(agent ? toAgentTables(agent) : []),
    ...(crowd ? toCrowdTables(crowd) : []),
  ].join('\n\n')}\n`;
}

/** `npm run bench [-- --only relay|widget|agent|crowd] [--quick]`: measures relay and widget against their yardsticks, side by side. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';
import { measureAgent } from './agent/measure.mjs';
import { measureCrowd } from './crowd/measure.mjs';
import { chromiumFile, describeMachine, nginxFile } from './machine.mjs';
import { measureRelays } from './relay/measure.mjs';
import { measureRedis } from './relay/redis.mjs';
import { direct, helper, nginx, splice, toHelper } from './relay/relays.mjs';
import { addRatios, toReport } from './report.mjs';
import { measureSize } from './size.mjs';

const { values } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean', default: false } },
});
const { only, quick } = values;
if (only !== undefined && !['relay', 'widget', 'agent', 'crowd'].includes(only)) {
  console.error('--only relay, --only widget, --only agent or --only crowd');
  process.exit(2);
}
const log = (line) => console.error(line);
const resultsFile = new URL('./results.json', import.meta.url);
const reportFile = new URL('./RESULTS.md', import.meta.url);

const kept = existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')) : {};
const results = { ...(quick ? {} : kept), machine: describeMachine(), size: measureSize() };

const measures = (what) => only === undefined || only === what;

if (measures('relay')) {
  if (!nginxFile) log('Without nginx there is no ratio: apt-get install -y nginx-light');
  const { module } = await runnerImport('./test/support/redis.ts');
  const redis = await module.startRedis();
  const onRedis = toHelper('helper on Redis', redis.url);
  results.relay = await measureRelays({
    paced: [direct, nginx, splice, helper, onRedis].filter(Boolean),
    silent: [nginx, helper].filter(Boolean),
    rounds: quick ? 3 : 15,
    memoryRounds: quick ? 1 : 2,
    levels: quick ? [500, 1000] : [1000, 5000, 9900],
    seconds: 2,
    quietMs: quick ? 1_000 : 10_000,
    log,
  });
  results.relay.redis = await measureRedis(onRedis, redis, { streams: quick ? 200 : 1_000, hz: 5, log });
  await redis.stop();
}
if (measures('widget')) {
  if (chromiumFile) {
    const { measureWidget } = await import('./widget/measure.mjs');
    results.widget = await measureWidget({ rounds: quick ? 1 : 3, log });
  } else log('The widget needs Chromium: apt-get install -y chromium, or set CHROMIUM');
}
if (measures('agent')) {
  const levels = [
    [10, 100],
    [100, 1000],
    [1000, 10_000],
  ];
  const most = quick ? levels.slice(0, 2) : levels;
  results.agent = await measureAgent({
    levels: most,
    pages: quick ? 50 : 500,
    tries: quick ? 20 : 100,
    webhooks: quick ? 1_000 : 10_000,
    messages: quick ? 10_000 : 1_000_000,
    files: quick ? 1_000 : 9_800,
    log,
  });
}
if (measures('crowd')) {
  const most = quick ? [100, 10_000] : [100, 10_000, 20_000, 50_000, 100_000];
  results.crowd = await measureCrowd({ levels: most, log });
}

const rounded = JSON.stringify(
  addRatios(results),
  (_, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value),
  2,
);
const report = toReport(JSON.parse(rounded));
console.log(`\n${report}`);
if (quick) log('A quick run is for looking, not for quoting: RESULTS.md and results.json are as they were.');
else {
  writeFileSync(resultsFile, `${rounded}\n`);
  writeFileSync(reportFile, report);
}
process.exit(0);

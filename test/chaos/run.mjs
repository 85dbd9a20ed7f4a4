/**
 * `npm run chaos`: two `--helpers` on one SQLite file, or on a `--redis` of its own, another one for every request. One is
 * ended with -9 each ten seconds, or `--every` so many; `--roll` restarts one after the other as a deploy does, and
 * `--redis 30` restarts Redis each 30 s; `--calm` leaves the helpers alone. Answers have `--words` of which one comes each
 * `--delta` ms. `--faults` lets agent and visitors misbehave (`faults.mjs`), by `--seed` the same way again. `--agent` kills
 * the agent service instead, 100 times or `--kills` times. Fails when an invariant does not hold.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { pace, startAgent } from './agent.mjs';
import { killAgent } from './agent-kills.mjs';
import { agentFaults, createRandom, visitorFaults } from './faults.mjs';
import { createHelperProcess } from './helper.mjs';
import { createVisitor } from './visitor.mjs';

const { argv } = process;
const read = (name, otherwise) => (argv.includes(name) && Number(argv[argv.indexOf(name) + 1])) || otherwise;
const seconds = read('--seconds', 120);
const visitors = read('--visitors', 40);
const isRoll = argv.includes('--roll');
const signal = isRoll ? 'SIGTERM' : 'SIGKILL';
const everyMs = read('--every', 10) * 1000;
const count = read('--helpers', 2);
const isCalm = argv.includes('--calm');
const hasFaults = argv.includes('--faults');
const seed = read('--seed', Math.floor(Math.random() * 1e9));

if (argv.includes('--agent')) {
  const result = await killAgent(read('--kills', 100));
  console.log(JSON.stringify(result, null, 2));
  process.exit(result.faults.length > 0 ? 1 : 0);
}

pace.words = read('--words', pace.words);
pace.deltaMs = read('--delta', pace.deltaMs);

const folder = mkdtempSync(join(tmpdir(), 'porchlight-chaos-'));
const agent = await startAgent();
const redis = argv.includes('--redis') ? await startRedis() : undefined;
const redisMs = read('--redis', 0) * 1000;
const store = redis?.url ?? `sqlite:${join(folder, 'store.db')}`;
const helpers = Array.from({ length: count }, () => createHelperProcess(agent.url, store));
for (const helper of helpers) await helper.start();
/** Of those that live through all of it. */
const handlesBefore = helpers.map((helper) => helper.countHandles());

const counts = {
  asked: 0,
  lost: 0,
  fragments: 0,
  mixed: 0,
  gaps: 0,
  lateStops: 0,
  doubledInHistory: 0,
  wrongInHistory: 0,
  refused: {},
  ends: {},
  questions: new Set(),
  ended: 0,
  redisRestarts: 0,
  longestGapMs: 0,
  badExits: 0,
  wrongEnds: 0,
  conflicts: 0,
  returned: 0,
  handlesLeft: 0,
  faults: Object.fromEntries(
    [...Object.keys(agentFaults), ...visitorFaults].map((name) => [name, { runs: 0, broken: 0 }]),
  ),
};
/** Connections to Redis, and to the agent, that were opened once and rest. */
const sparedHandles = 4;
/** A deploy is not to be noticed. */
const mostGapMs = 2_000;
let turn = 0;
const pick = () => {
  const there = helpers.filter(({ url }) => url !== '');
  turn += 1;
  return there[turn % there.length]?.url;
};
let isOver = false;
let endAll = () => {};
const over = new Promise((resolve) => {
  endAll = resolve;
});
const until = performance.now() + seconds * 1000;

const visit = async (number) => {
  const random = createRandom(seed + number * 7_919);
  let drawn = 0;
  /** Each comes up among so many visitors; from then on by chance. */
  const any = (all) => {
    drawn += 1;
    return all[drawn <= 2 ? number % all.length : Math.floor(random() * all.length)];
  };
  const visitor = createVisitor(pick, counts, random, !isCalm);
  const isStopper = !isRoll && number % 5 === 0;
  while (!isOver) {
    const conversationId = randomUUID();
    const told = [];
    for (let asked = 0; asked < 3 && !isOver && told.at(-1) !== 'deleted'; asked += 1) {
      const usual = isStopper && asked === 1 ? 'F09 stops' : 'waits';
      const fault = hasFaults ? any(Object.keys(agentFaults)) : 'nothing wrong';
      told.push(await visitor.ask(conversationId, fault, hasFaults ? any(visitorFaults) : usual));
    }
    if (told.at(-1) === 'deleted') continue;
    await new Promise((resolve) => setTimeout(resolve, 500));
    const isCompleted = (kind) => kind === 'turn-completed';
    // An end that was told while the store did not answer is written once it does.
    const untilWritten = performance.now() + 10_000;
    for (;;) {
      const messages = await visitor.history(conversationId).catch(() => undefined);
      const kept = messages?.filter(({ role, status }) => role === 'agent' && status === 'completed').length;
      if (kept === told.filter(isCompleted).length) {
        const ids = messages.map(({ id }) => id);
        counts.doubledInHistory += ids.length - new Set(ids).size;
        break;
      }
      if (performance.now() > untilWritten) {
        counts.wrongInHistory += 1;
        console.error('wrong in history', told, messages);
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
};
const disturb = async () => {
  for (let next = 0; !isOver; next = (next + 1) % count) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    if (isOver) return;
    const code = await helpers[next].end(signal);
    counts.ended += 1;
    if (isRoll && code !== 0) counts.badExits += 1;
    await helpers[next].start();
  }
};
const disturbRedis = async () => {
  for (;;) {
    await Promise.race([new Promise((resolve) => setTimeout(resolve, redisMs)), over]);
    if (isOver) return;
    await redis.restart();
    counts.redisRestarts += 1;
  }
};
const disturbing = Promise.all([!isCalm && disturb(), redisMs > 0 && disturbRedis()]);
const visiting = Promise.all(Array.from({ length: visitors }, (_, number) => visit(number)));
await new Promise((resolve) => setTimeout(resolve, until - performance.now()));
isOver = true;
endAll();
await Promise.all([visiting, disturbing]);

if (isCalm)
  for (const [index, helper] of helpers.entries()) {
    const before = handlesBefore[index];
    for (let tries = 0; tries < 40 && helper.countHandles() > before + sparedHandles; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 500));
    counts.handlesLeft += Math.max(0, helper.countHandles() - before - sparedHandles);
  }
const { questions, faults, ...figures } = counts;
const twice = [...agent.asked].filter(([, times]) => times > 1).length;
console.log(
  JSON.stringify({ seed, seconds, visitors, helpers: count, signal, askedTwice: twice, ...figures }, null, 2),
);
if (hasFaults)
  for (const [name, { runs, broken }] of Object.entries(faults))
    console.log(`| ${name} | ${runs} | ${broken} |`);
for (const helper of helpers) await helper.end('SIGKILL');
agent.close();
await redis?.stop();
rmSync(folder, { recursive: true, force: true });
const broken = [
  'lost',
  'fragments',
  'mixed',
  'gaps',
  'doubledInHistory',
  'wrongInHistory',
  'badExits',
  'wrongEnds',
  'conflicts',
  'returned',
  'handlesLeft',
].filter((name) => counts[name] > 0);
if (isRoll && (counts.ends['turn-failed'] ?? 0) > 0) broken.push('failed under a rolling restart');
if (isRoll && counts.longestGapMs > mostGapMs) broken.push('a gap of more than two seconds');
if (twice > 0) broken.push('asked twice');
console.log(broken.length === 0 ? 'Every invariant held.' : `BROKEN: ${broken.join(', ')}`);
process.exit(broken.length === 0 ? 0 : 1);

/** What it was told it has on its disk. */
async function startRedis() {
  const { module } = await runnerImport('./test/support/redis.ts');
  return module.startRedis('--appendonly', 'yes', '--appendfsync', 'always');
}

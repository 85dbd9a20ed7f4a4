/** What is measured of a relay: that the text stays whole, CPU and delay of paced streams, memory of silent ones. */
import { randomUUID } from 'node:crypto';
import { nowUs, percentile, pinSelf, readCore, sleep, toMedians, waitForQuiet } from '../machine.mjs';
import { core, createRig } from './rig.mjs';
import { toDeltaText } from './text.mjs';

const streams = 100;
const hz = 50;

/** Throws when the deltas do not arrive whole and in order, however the agent's bytes were cut. */
async function requireWhole(rig, name) {
  const n = 200;
  const client = await rig.one({ n, frag: true }, { keeps: true });
  let text = '';
  for (const event of client.body.split('\n\n')) {
    if (!/^event: (?:text-)?delta$/m.test(event)) continue;
    text += JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '{}').text?.replace(/~\d+~/, '');
  }
  const wanted = Array.from({ length: n }, (_, index) => toDeltaText(index % 64)).join('');
  if (text !== wanted) throw new Error(`${name}: the text is not whole`);
}

/** 100 streams of 50 deltas a second, spread over the period, to their end. */
async function measurePaced(rig, relay, { seconds, quietMs }) {
  await waitForQuiet(core, quietMs);
  const delaysUs = [];
  const firstUs = [];
  const clients = [];
  const onFirst = (client) => firstUs.push(client.firstAtUs - client.startedAtUs);
  let over = 0;
  const onOver = () => {
    over += 1;
  };
  for (let index = 0; index < streams; index += 1) {
    const n = Math.ceil(hz * (seconds + 1.6));
    clients.push(rig.open({ n, hz }, { delaysUs, onFirst, onOver }));
    await sleep(1000 / streams);
  }
  await sleep(300);
  delaysUs.length = 0;
  const read = () => ({
    deltas: clients.reduce((sum, client) => sum + client.deltas, 0),
    cpuUs: rig.readCpuUs(),
    ownUs: rig.readOwnCpuUs(),
    atUs: nowUs(),
    ...readCore(core),
  });
  const before = read();
  await sleep(seconds * 1000);
  const after = read();
  const delays = delaysUs.slice();
  for (let tries = 0; tries < 500 && over < streams; tries += 1) await sleep(10);
  const broken = clients.filter((client) => !client.isGood).length;
  if (broken > 0) throw new Error(`${relay.name}: ${broken} paced streams broke off`);
  const wallUs = after.atUs - before.atUs;
  const deltas = after.deltas - before.deltas;
  return {
    cpuPerDeltaUs: (after.cpuUs - before.cpuUs) / deltas,
    p50Us: percentile(delays, 0.5),
    p99Us: percentile(delays, 0.99),
    firstMs: percentile(firstUs, 0.5) / 1000,
    deltasPerSecond: deltas / (wallUs / 1e6),
    foreignLoad:
      (after.busy - before.busy) / Math.max(1, after.all - before.all) -
      (after.ownUs - before.ownUs) / wallUs,
  };
}

/** One after the other: the first words of a conversation's first turn, and of its second. */
async function measureFirst(rig, relay) {
  const askedUs = { first: [], second: [] };
  for (let round = 0; round < 60; round += 1) {
    const conversation = randomUUID();
    for (const us of Object.values(askedUs)) {
      const client = await rig.one({ n: 1 }, { conversation });
      if (!client.isGood) throw new Error(`${relay.name}: a first word did not come`);
      us.push(client.firstAtUs - client.startedAtUs);
    }
  }
  const toMs = (us) => percentile(us, 0.5) / 1000;
  return { firstTurnMs: toMs(askedUs.first), secondTurnMs: toMs(askedUs.second) };
}

const mostForeignLoad = 0.2;

/**
 * All relays stand ready the whole time and take short turns, so that each round meets the same neighbours, and a
 * round's ratio says more than two medians do. Rounds that were disturbed are left out where enough are left.
 */
async function comparePaced(relays, { rounds, log, ...options }) {
  const rigs = [];
  try {
    for (const relay of relays) {
      const rig = await createRig(relay);
      rigs.push(rig);
      await requireWhole(rig, relay.name);
      await rig.many(500, 20, { n: 100 });
    }
    const all = [];
    for (let round = 0; round < rounds; round += 1) {
      const results = {};
      for (const [index, relay] of relays.entries())
        results[relay.name] = {
          ...(await measurePaced(rigs[index], relay, options)),
          ...(await measureFirst(rigs[index], relay)),
        };
      for (const result of Object.values(results))
        if (results.nginx) result.ratio = result.cpuPerDeltaUs / results.nginx.cpuPerDeltaUs;
      const cpu = Object.entries(results).map(([name, one]) => `${name} ${one.cpuPerDeltaUs.toFixed(1)}`);
      log(`CPU µs a delta: ${cpu.join(', ')}`);
      all.push(results);
    }
    const isQuiet = (results) => Object.values(results).every((one) => one.foreignLoad < mostForeignLoad);
    const quiet = all.filter(isQuiet);
    const used = quiet.length >= Math.min(3, rounds) ? quiet : all;
    const medians = relays.map(({ name }) => [name, toMedians(used.map((results) => results[name]))]);
    return { rounds: used.length, paced: Object.fromEntries(medians) };
  } finally {
    for (const rig of rigs) await rig.close();
  }
}

/** What each open stream costs that has said its first word and then nothing. */
async function measureMemory(relay, levels) {
  const rig = await createRig(relay);
  const result = {};
  try {
    await rig.many(300, 50, { n: 5 });
    await rig.collectGarbage();
    await sleep(400);
    const base = rig.readRssBytes();
    result.baseMb = base / 1e6;
    const clients = [];
    for (const level of levels) {
      await openUpTo(rig, clients, level);
      await sleep(1500);
      const open = clients.filter((client) => client.firstAtUs > 0 && !client.isOver).length;
      if (open < level) throw new Error(`${relay.name}: only ${open} of ${level} silent streams are open`);
      result[`kbAt${level}`] = (rig.readRssBytes() - base) / 1000 / level;
      await rig.collectGarbage();
      result[`kbCollectedAt${level}`] = (rig.readRssBytes() - base) / 1000 / level;
    }
    for (const client of clients) client.kill();
    return result;
  } finally {
    await rig.close();
  }
}

async function openUpTo(rig, clients, level) {
  let waiting = 0;
  while (clients.length < level) {
    if (waiting >= 128) {
      await sleep(1);
      continue;
    }
    waiting += 1;
    let isSettled = false;
    const settle = () => {
      if (!isSettled) waiting -= 1;
      isSettled = true;
    };
    clients.push(rig.open({ n: 1, hold: 600_000 }, { onFirst: settle, onOver: settle }));
  }
  for (let tries = 0; tries < 1000 && waiting > 0; tries += 1) await sleep(10);
}

export async function measureRelays({ paced, silent, memoryRounds, levels, log, ...options }) {
  pinSelf(core);
  const runs = new Map(silent.map(({ name }) => [name, []]));
  const compared = await comparePaced(paced, { log, ...options });
  for (let round = 0; round < memoryRounds; round += 1)
    for (const relay of silent) {
      // nginx has two of its connections for each, of which it is allowed 19,990.
      const result = await measureMemory(relay, relay.name === 'nginx' ? levels.slice(0, 2) : levels);
      runs.get(relay.name).push(result);
      log(`${relay.name}: ${result[`kbAt${levels[1]}`].toFixed(1)} kB a silent stream`);
    }
  const memory = Object.fromEntries([...runs].map(([name, results]) => [name, toMedians(results)]));
  return { ...compared, memory, levels };
}

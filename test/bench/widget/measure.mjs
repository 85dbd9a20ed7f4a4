/** What is measured of the widget: main-thread CPU of a streamed answer, against HTML set once, and how it grows. */
import { median, pinSelf } from '../machine.mjs';
import { countElements, createAnswer } from './answer.mjs';
import { startBackend } from './backend.mjs';
import { askOnce, launchBrowser, subjects } from './browser.mjs';

const core = 1;
const sizes = [5_000, 20_000, 80_000];
const growthRate = 2_000;

function requireWhole(name, bytes, { elements }) {
  const wanted = countElements(createAnswer(bytes));
  for (const [kind, count] of Object.entries(wanted))
    if (elements[kind] !== count) throw new Error(`${name}: ${elements[kind]} ${kind}, not ${count}`);
}

/** @param rounds of each case; the two subjects take turns, so that both meet the same neighbours */
export async function measureWidget({ rounds, log }) {
  pinSelf(core);
  const backend = await startBackend();
  const browser = await launchBrowser();
  const runs = new Map();
  const run = async (name, key, options) => {
    const result = await askOnce(browser, backend.origin, subjects[name], () => backend.prepare(options));
    requireWhole(name, options.bytes, result);
    const all = runs.get(`${name} ${key}`) ?? [];
    runs.set(`${name} ${key}`, [...all, result]);
    log(`${name} ${key}: ${result.cpuMs.toFixed(0)} ms`);
  };
  const both = async (key, options) => {
    await run('baseline', key, options);
    await run('widget', key, options);
  };
  const read = (name, key, figure) => median(runs.get(`${name} ${key}`).map((result) => result[figure]));
  const compare = (key) => ({
    deltas: read('widget', key, 'deltas'),
    baselineMs: read('baseline', key, 'cpuMs'),
    widgetMs: read('widget', key, 'cpuMs'),
    ratio: read('widget', key, 'cpuMs') / read('baseline', key, 'cpuMs'),
    scriptMs: read('widget', key, 'scriptMs'),
    layoutMs: read('widget', key, 'layoutMs'),
    longestTaskMs: read('widget', key, 'longestTaskMs'),
  });
  try {
    // The first page of a browser pays for much that no later one does.
    await askOnce(browser, backend.origin, subjects.widget, () => backend.prepare({ bytes: 1000, rate: 0 }));
    for (let round = 0; round < rounds; round += 1) {
      await both('fast', { bytes: 20_000, rate: 0 });
      await both('paced', { bytes: 20_000, rate: 200 });
      for (const bytes of sizes) await both(`grow ${bytes}`, { bytes, rate: growthRate });
    }
    const growth = sizes.map((bytes) => ({ bytes, ...compare(`grow ${bytes}`) }));
    const [, middle, largest] = growth;
    return {
      fast: compare('fast'),
      paced: compare('paced'),
      growth,
      /** Of the last step, where what is paid once weighs least. */
      exponent: Math.log(largest.widgetMs / middle.widgetMs) / Math.log(largest.bytes / middle.bytes),
      baselineExponent:
        Math.log(largest.baselineMs / middle.baselineMs) / Math.log(largest.bytes / middle.bytes),
    };
  } finally {
    await browser.close();
    backend.close();
  }
}

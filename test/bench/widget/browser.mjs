/** One page in Chromium that asks its chat and waits for the end of the answer on screen, with its CPU counted. */
import { chromium } from 'playwright-core';
import { chromiumFile, sleep } from '../machine.mjs';
import { lastWord } from './answer.mjs';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** Where the two pages have their parts. */
export const subjects = {
  widget: {
    path: '/widget',
    root: 'porchlight-chat',
    launcher: '[part~="launcher"]',
    composer: '[part~="composer"]',
    body: '[data-role="agent"] [part~="body"]',
  },
  baseline: { path: '/baseline', launcher: '#launcher', composer: '#composer', body: '.body' },
};

export function launchBrowser() {
  return chromium.launch({ executablePath: chromiumFile, headless: true, args: flags });
}

/** In the page: finds parts, and notes long tasks. It asks for no frames, which would cost more than what is measured. */
function installProbe(rootName) {
  const probe = {
    find: (selector) => {
      const root = rootName ? document.querySelector(rootName)?.shadowRoot : document;
      return [...(root?.querySelectorAll(selector) ?? [])].at(-1);
    },
    longestTaskMs: 0,
  };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      probe.longestTaskMs = Math.max(probe.longestTaskMs, duration);
  }).observe({ type: 'longtask' });
  window.probe = probe;
}

async function readMetrics(devtools) {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value * 1000]));
}

/** Until the main thread has been less than a tenth busy for a while. */
async function waitForIdle(devtools) {
  for (let tries = 0; tries < 20; tries += 1) {
    const before = await readMetrics(devtools);
    await sleep(200);
    const after = await readMetrics(devtools);
    if (after.TaskDuration - before.TaskDuration < 20) return;
  }
}

/**
 * @param prepare resolves once the backend has sent the whole answer
 * @param during called between the question and the end, for a profiler
 */
export async function askOnce(browser, origin, subject, prepare, during) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    const mistakes = [];
    page.on('pageerror', (error) => mistakes.push(error.message));
    await page.addInitScript(installProbe, subject.root);
    const devtools = await context.newCDPSession(page);
    // Ticks of the thread: what others do on this core is not counted.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(origin + subject.path);
    await page.locator(subject.launcher).click();
    await page.locator(subject.composer).click();
    await waitForIdle(devtools);
    await page.keyboard.insertText('Please explain everything');
    await sleep(100);
    await devtools.send('HeapProfiler.collectGarbage');
    const sent = prepare();
    await page.evaluate(() => {
      window.probe.longestTaskMs = 0;
    });
    await during?.begin(devtools);
    const before = await readMetrics(devtools);
    await page.keyboard.press('Enter');
    const deltas = await sent;
    await page.waitForFunction(
      ([selector, word]) => window.probe.find(selector)?.lastElementChild?.textContent.includes(word),
      [subject.body, lastWord],
      { polling: 50 },
    );
    await sleep(300);
    const after = await readMetrics(devtools);
    await during?.end(devtools);
    const seen = await page.evaluate((selector) => {
      const count = (inner) => window.probe.find(selector).querySelectorAll(inner).length;
      return {
        longestTaskMs: window.probe.longestTaskMs,
        elements: {
          headings: count('h1,h2,h3,h4,h5,h6'),
          items: count('li'),
          tables: count('table'),
          codes: count('pre'),
          links: count('a[href]'),
        },
      };
    }, subject.body);
    if (mistakes.length > 0) throw new Error(`the page failed: ${mistakes[0]}`);
    const spent = (name) => after[name] - before[name];
    return {
      deltas,
      cpuMs: spent('TaskDuration'),
      scriptMs: spent('ScriptDuration'),
      layoutMs: spent('LayoutDuration') + spent('RecalcStyleDuration'),
      ...seen,
    };
  } finally {
    await context.close();
  }
}

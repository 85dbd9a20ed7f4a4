/** `npm run dev`: builds and starts the demo, and does both again whenever a source changes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { createBuilder } from 'vite';

const sources = ['widget', 'server-helper', 'demo'];
/** An editor saves in several steps, and a checkout touches many files. */
const settleMs = 100;

let demo;
let isStale = false;
let isRenewing = false;

async function stop() {
  if (!demo || demo.exitCode !== null || demo.signalCode !== null) return;
  const gone = once(demo, 'exit');
  demo.kill('SIGTERM');
  await gone;
}

/** What runs stays when the build fails. */
async function renew() {
  isStale = true;
  if (isRenewing) return;
  isRenewing = true;
  while (isStale) {
    isStale = false;
    try {
      const builder = await createBuilder({ logLevel: 'warn' });
      await builder.buildApp();
    } catch (error) {
      process.stderr.write(`${error.message}\n`);
      continue;
    }
    await stop();
    demo = spawn(process.execPath, ['dist/demo/start.js'], { stdio: 'inherit' });
  }
  isRenewing = false;
}

let timer;
for (const folder of sources)
  watch(folder, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(renew, settleMs);
  });

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await stop();
    process.exit(0);
  });

await renew();

/** One agent, one relay and the visitors that ask it, all on one core. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPort } from '../../support/port.mjs';
import { kill, launch, readCpuUs, readRssBytes, sleep, toTree, waitForPort } from '../machine.mjs';
import { StreamClient } from './client.mjs';

export const core = 0;
const upstreamFile = fileURLToPath(new URL('./upstream.mjs', import.meta.url));

export async function createRig(relay, nodeArgs) {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-bench-'));
  const upstreamPort = await findPort();
  const upstream = launch(process.execPath, [upstreamFile], { PORT: String(upstreamPort) }, core);
  await waitForPort(upstreamPort, upstream);
  let port = upstreamPort;
  let child;
  let pids = [];
  if (relay.start) {
    port = await findPort();
    const { command, args, env } = relay.start({ port, upstreamPort, folder, nodeArgs });
    child = launch(command, args, env, core);
    await waitForPort(port, child);
    await sleep(100);
    pids = toTree(child.pid);
  }
  const toRequest = await relay.prepare(port);
  const open = (control, options = {}) =>
    new StreamClient({ port, ...toRequest(control, options), ...options });

  return {
    child,
    open,
    readCpuUs: () => readCpuUs(pids),
    /** Of relay, agent and visitors together. */
    readOwnCpuUs: () => readCpuUs([...pids, ...toTree(upstream.pid), process.pid]),
    readRssBytes: () => readRssBytes(pids),
    one: (control, options) =>
      new Promise((resolve) => {
        open(control, { ...options, onOver: resolve });
      }),
    /** Asks `total` times, `atOnce` at a time. */
    async many(total, atOnce, control) {
      let asked = 0;
      let good = 0;
      const askOn = async () => {
        while (asked < total) {
          asked += 1;
          if ((await this.one(control)).isGood) good += 1;
        }
      };
      await Promise.all(Array.from({ length: atOnce }, askOn));
      if (good < total) throw new Error(`${relay.name}: ${total - good} of ${total} streams broke off`);
    },
    /** Only of the helper: nginx has no garbage. */
    async collectGarbage() {
      const file = join(folder, 'collected.json');
      if (relay.name !== 'helper') return;
      rmSync(file, { force: true });
      process.kill(pids.at(-1), 'SIGUSR2');
      for (let tries = 0; tries < 400 && !existsSync(file); tries += 1) await sleep(25);
      await sleep(200);
    },
    async close() {
      await kill(child);
      await kill(upstream);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

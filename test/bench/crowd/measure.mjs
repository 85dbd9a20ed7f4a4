/** A crowd: what the helper keeps of many addresses and guests, each of whom opens a session and looks at the list once. */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @param levels how many addresses have come so far, ascending @returns for each the heap in MB once garbage is collected */
export async function measureCrowd({ levels, log }) {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-crowd-'));
  const agent = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end('{}'),
  );
  await new Promise((resolve) => agent.listen(0, '127.0.0.1', resolve));
  try {
    const helper = fork(fileURLToPath(new URL('./helper.mjs', import.meta.url)), {
      execArgv: ['--expose-gc'],
    });
    helper.send({
      levels,
      store: join(folder, 'crowd.db'),
      agentUrl: `http://127.0.0.1:${agent.address().port}`,
    });
    const rows = [];
    await new Promise((resolve, reject) => {
      helper.on('message', (row) => {
        log(`crowd: ${row.addresses} addresses, ${row.heapMb.toFixed(1)} MB, ${row.refused} refused`);
        rows.push(row);
      });
      helper.on('error', reject);
      helper.on('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`the helper ended with ${code}`)),
      );
    });
    return rows;
  } finally {
    agent.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

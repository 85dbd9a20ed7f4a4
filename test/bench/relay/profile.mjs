/** `node test/bench/relay/profile.mjs`: where the helper's CPU goes while it relays paced streams. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nowUs, pinSelf, sleep } from '../machine.mjs';
import { helper } from './relays.mjs';
import { core, createRig } from './rig.mjs';

const folder = mkdtempSync(join(tmpdir(), 'porchlight-profile-'));
pinSelf(core);
const rig = await createRig(helper, ['--cpu-prof', '--cpu-prof-interval=250', `--cpu-prof-dir=${folder}`]);
for (let index = 0; index < 100; index += 1) {
  rig.open({ n: 250, hz: 50 });
  await sleep(10);
}
await sleep(300);
const fromUs = nowUs();
await sleep(3000);
const toUs = nowUs();
await sleep(2500);
// A profile is written by a process that ends of itself; with its turns over, the helper does so at once.
process.kill(rig.child.pid, 'SIGTERM');
await new Promise((resolve) => rig.child.once('exit', resolve));
const name = readdirSync(folder).find((file) => file.endsWith('.cpuprofile'));
const profile = JSON.parse(readFileSync(join(folder, name), 'utf8'));
const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
const spent = new Map();
let all = 0;
let atUs = profile.startTime;
profile.samples.forEach((id, index) => {
  atUs += profile.timeDeltas[index];
  if (atUs < fromUs || atUs > toUs) return;
  const { functionName, url, lineNumber } = nodes.get(id).callFrame;
  if (functionName === '(idle)') return;
  const place = `${functionName || '(anonymous)'}  ${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`;
  spent.set(place, (spent.get(place) ?? 0) + profile.timeDeltas[index]);
  all += profile.timeDeltas[index];
});
for (const [place, us] of [...spent].sort((a, b) => b[1] - a[1]).slice(0, 30))
  console.log(`${((100 * us) / all).toFixed(1).padStart(5)} %  ${place}`);
await rig.close();
process.exit(0);

/** What a Redis does for the streams of one helper: its processor, its memory, the calls that it takes. */
import { nowUs, readCpuUs, sleep } from '../machine.mjs';
import { createRig } from './rig.mjs';

const secondsEach = 10;

/** @param redis of `test/support/redis.ts`; nobody else uses it */
export async function measureRedis(relay, redis, { streams, hz, log }) {
  const rig = await createRig(relay);
  const readInfo = async (name) =>
    Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(await redis.say('INFO'))?.[1]);
  const read = async () => ({
    bytes: await readInfo('used_memory'),
    calls: await readInfo('total_commands_processed'),
    redisUs: readCpuUs([redis.child.pid]),
    helperUs: rig.readCpuUs(),
    atUs: nowUs(),
  });
  try {
    const empty = await read();
    const clients = [];
    for (let index = 0; index < streams; index += 1) {
      clients.push(rig.open({ n: hz * (secondsEach + 30), hz }, {}));
      if (index % 20 === 0) await sleep(50);
    }
    await sleep(3_000);
    const deltas = () => clients.reduce((sum, client) => sum + client.deltas, 0);
    const [before, deltasBefore] = [await read(), deltas()];
    await sleep(secondsEach * 1000);
    const [after, told] = [await read(), deltas() - deltasBefore];
    for (const client of clients) client.kill();
    const wallUs = after.atUs - before.atUs;
    const result = {
      streams,
      hz,
      helperUsPerDelta: (after.helperUs - before.helperUs) / told,
      redisShare: (after.redisUs - before.redisUs) / wallUs,
      callsPerSecond: (after.calls - before.calls) / (wallUs / 1e6),
      kbPerStream: (after.bytes - empty.bytes) / 1000 / streams,
      bytesPerDelta: (after.bytes - before.bytes) / told,
    };
    log(
      `Redis: ${(100 * result.redisShare).toFixed(1)} % of a core, ${result.kbPerStream.toFixed(1)} kB a stream`,
    );
    return result;
  } finally {
    await rig.close();
  }
}

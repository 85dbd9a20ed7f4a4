/** A port for a process that is told which one to take. */
import { createServer } from 'node:net';

/** Below those that the system hands out by itself: nobody has it by chance before the process listens, or while it starts anew. */
const [first, count] = [12_000, 20_000];

/** @returns {Promise<number>} */
export async function findPort() {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    if (await isFree(port)) return port;
  }
}

/** @param {number} port @returns {Promise<boolean>} */
function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, () => probe.close(() => resolve(true)));
  });
}

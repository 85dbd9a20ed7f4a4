/** `npm run agent`: the agent service as a process. */

import { startAgent } from './start.ts';

const agent = await startAgent(process.env).catch((thrown: unknown) => {
  // A variable whose value is wrong.
  if (!(thrown instanceof TypeError) || !/^[A-Z_]+: /.test(thrown.message)) throw thrown;
  console.error(thrown.message);
  process.exit(1);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void agent.close().then(() => process.exit(0)));

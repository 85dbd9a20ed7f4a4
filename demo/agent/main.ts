/** `npm run agent`: the agent service as a process. */

import { startAgent } from './start.ts';

const agent = await startAgent(process.env);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void agent.close().then(() => process.exit(0)));

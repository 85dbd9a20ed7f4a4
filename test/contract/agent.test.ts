/** The agent contract, run on the local service over real HTTP, and on a hosted one that the environment names. */

import { startAgent } from '../../demo/agent/start.ts';
import { agentContract } from './agent.ts';

agentContract('the local agent service', async () => {
  const env = { AGENT_DB: ':memory:', AGENT_WORDS_PER_SECOND: '60', PORT: '0' };
  const { url, ...agent } = await startAgent(env, { log: () => {}, print: () => {} });
  return { baseUrl: url, ...agent };
});

const { AGENT_CONTRACT_URL, AGENT_CONTRACT_KEY, AGENT_CONTRACT_PROJECT, AGENT_CONTRACT_BOT } = process.env;
if (AGENT_CONTRACT_URL) {
  agentContract('a hosted agent service', async () => ({
    baseUrl: AGENT_CONTRACT_URL,
    apiKey: AGENT_CONTRACT_KEY ?? '',
    projectId: AGENT_CONTRACT_PROJECT ?? '',
    botId: AGENT_CONTRACT_BOT ?? '',
  }));
}

/** The agent service as a process of its own, on a file, that can be killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createAgentClient } from './agentclient.ts';

export const target = { apiKey: 'owner-key-0123456789', projectId: 'p', botId: 'b' };

/**
 * Resolves once it listens.
 *
 * @param env besides the key, the project and the agent of `target`
 * @param begin what a shell does before, for what it leaves open
 */
export async function runAgent(env: Readonly<Record<string, string>>, begin = ':') {
  const start = `${begin}; exec "$0" dist/demo/agent.js`;
  const agent = spawn('bash', ['-c', start, process.execPath], {
    env: {
      PATH: process.env.PATH,
      AGENT_API_KEY: target.apiKey,
      AGENT_PROJECT_ID: target.projectId,
      AGENT_BOT_ID: target.botId,
      PORT: '0',
      ...env,
    },
  });
  const gone = once(agent, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    // Read to its end: a process whose output nobody takes stands still.
    agent.stdout.on('data', (chunk) => {
      output += String(chunk);
      const found = /Agent service at (\S+?)\. /.exec(output)?.[1];
      if (found) resolve(found);
    });
    agent.once('exit', () => reject(new Error(`The agent did not start: ${output}`)));
  });
  return {
    ...createAgentClient(url, target),
    async kill() {
      agent.kill('SIGKILL');
      await gone;
    },
  };
}

export type AgentProcess = Awaited<ReturnType<typeof runAgent>>;

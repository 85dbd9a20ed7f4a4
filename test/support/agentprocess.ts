/** The agent service as a process of its own, on a file, that can be killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createAgentClient } from './agentclient.ts';

export const target = { apiKey: 'owner-key-0123456789', projectId: 'p', botId: 'b' };

/** Resolves once it listens. @param env besides the key, the project and the agent of `target` */
export async function runAgent(env: Readonly<Record<string, string>>) {
  const agent = spawn(process.execPath, ['dist/demo/agent.js'], {
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
  let output = '';
  for await (const chunk of agent.stdout) {
    output += String(chunk);
    const url = /Agent service at (\S+?)\. /.exec(output)?.[1];
    if (!url) continue;
    // What it goes on to say is read by nobody, and must not hold it up.
    agent.stdout.resume();
    return {
      ...createAgentClient(url, target),
      async kill() {
        agent.kill('SIGKILL');
        await gone;
      },
    };
  }
  throw new Error(`The agent did not start: ${output}`);
}

export type AgentProcess = Awaited<ReturnType<typeof runAgent>>;

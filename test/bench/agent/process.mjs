/** The built agent service as a process of its own, and how long something takes. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../../../dist/demo/agent.js', import.meta.url));
export const ids = { project_id: 'p', bot_id: 'b' };
export const headers = { authorization: 'Bearer owner-key', 'content-type': 'application/json' };

export const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
export const p99 = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.99)];

export const listen = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

export async function startAgent(folder, more = {}) {
  const probe = createServer();
  const port = await listen(probe);
  await new Promise((resolve) => probe.close(resolve));
  const env = {
    ...process.env,
    AGENT_DB: join(folder, 'agent.db'),
    AGENT_API_KEY: 'owner-key',
    AGENT_PROJECT_ID: 'p',
    AGENT_BOT_ID: 'b',
    AGENT_WORDS_PER_SECOND: '0',
    AGENT_REQUESTS_PER_MINUTE: '10000000',
    AGENT_CREDITS: '10000000',
    PROVIDER_HOST: '',
    PORT: String(port),
    ...more,
  };
  const agent = spawn(process.execPath, [entry], { env, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 50));
  const call = async (method, path, body, asked) => {
    const query = body ? '' : `?${new URLSearchParams({ ...ids, ...asked })}`;
    const response = await fetch(`${url}${path}${query}`, {
      method,
      headers,
      body: body && JSON.stringify({ ...ids, ...body }),
    });
    if (!response.ok) throw new Error(`${response.status} to ${path}: ${await response.text()}`);
    return response.json();
  };
  const gone = new Promise((resolve) => agent.once('exit', resolve));
  const stop = () => {
    agent.kill('SIGKILL');
    return gone;
  };
  return { url, call, stop };
}

export async function timed(act) {
  const from = performance.now();
  await act();
  return performance.now() - from;
}

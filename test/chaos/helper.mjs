/** The built helper as a process that can be killed and started again on the same store. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../dist/server-helper/cli.js', import.meta.url));

export function createHelperProcess(agentUrl, store) {
  const helper = { url: '', child: undefined, errors: 0 };
  helper.start = async () => {
    const child = spawn(process.execPath, [cli, 'serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env.PATH,
        PORCHLIGHT_AGENT_URL: agentUrl,
        PORCHLIGHT_API_KEY: 'chaos-key',
        PORCHLIGHT_PROJECT_ID: 'p',
        PORCHLIGHT_BOT_ID: 'b',
        PORCHLIGHT_STORE: store,
        PORCHLIGHT_LIMITS: 'off',
        PORT: '0',
      },
    });
    helper.child = child;
    let log = '';
    await new Promise((resolve) => {
      child.stdout.on('data', (chunk) => {
        helper.errors += String(chunk).split('"level":50').length - 1;
        if (helper.url !== '' && log === 'ready') return;
        log += chunk;
        const url = /"url":"([^"]+)"/.exec(log)?.[1];
        if (!url) return;
        helper.url = url;
        log = 'ready';
        resolve();
      });
    });
  };
  /** Open files and sockets of the process, on Linux. */
  helper.countHandles = () => {
    const folder = `/proc/${helper.child.pid}/fd`;
    return existsSync(folder) ? readdirSync(folder).length : 0;
  };
  /** @returns once the process is gone */
  helper.end = async (signal) => {
    const { child } = helper;
    helper.url = '';
    const gone = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill(signal);
    return gone;
  };
  return helper;
}

/** The demo as a user starts it: a process of the built bundle, with the agent's event log read from its output. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { requireBuild } from './browser.ts';

export type LoggedEvent = { event: string; chat_id?: string; message_id?: string; tool?: string };

export type RecordedMessage = { uuid: string; role: string; content: string; status: string };

export type Demo = {
  /** Of the shop, without a slash at the end. */
  url: string;
  /** For a helper of the test's own, which speaks with the same agent. */
  agent: { url: string; apiKey: string; projectId: string; botId: string };
  /** What the agent did so far, in order. */
  events(name: string): LoggedEvent[];
  /** The agent's own record of a conversation. */
  readRecord(chatId: string): Promise<RecordedMessage[]>;
  stop(): Promise<void>;
};

const entry = fileURLToPath(new URL('../../dist/demo/start.js', import.meta.url));
const startMs = 30_000;
const apiKey = 'the-key-of-this-test-alone';

/** @param wordsPerSecond of the agent's answers; 0 is as fast as it can */
export async function startDemo({ wordsPerSecond = 0 } = {}): Promise<Demo> {
  requireBuild();
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-demo-'));
  const shop = spawn(process.execPath, [entry], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      AGENT_PORT: '0',
      AGENT_SMTP_PORT: '0',
      DEMO_FOLDER: folder,
      DEMO_LOG: 'on',
      AGENT_API_KEY: apiKey,
      AGENT_WORDS_PER_SECOND: String(wordsPerSecond),
      PROVIDER_HOST: '',
    },
  });
  const log: LoggedEvent[] = [];
  const said = new Map<string, string>();
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The demo did not start in time.')), startMs);
    shop.once('exit', (code) => reject(new Error(`The demo ended with ${code} before it was ready.`)));
    createInterface(shop.stdout).on('line', (line) => {
      if (line.startsWith('{')) log.push(JSON.parse(line) as LoggedEvent);
      const [, name, url] = /^(Shop:|Strict CSP:|Agent service at) (http:\/\/[\d.]+:\d+)/.exec(line) ?? [];
      if (name && url) said.set(name, url);
      if (name !== 'Strict CSP:') return;
      clearTimeout(timer);
      resolve();
    });
  });
  const stop = async () => {
    if (shop.exitCode === null && shop.kill('SIGTERM')) await once(shop, 'exit');
    await rm(folder, { recursive: true, force: true });
  };
  await ready.catch(async (error: unknown) => {
    await stop();
    throw error;
  });

  const agent = { url: said.get('Agent service at')!, apiKey, projectId: 'larkfield', botId: 'juniper' };

  return {
    url: said.get('Shop:')!,
    agent,
    events: (name) => log.filter(({ event }) => event === name),
    async readRecord(chatId) {
      const ids = { project_id: agent.projectId, bot_id: agent.botId, chat_id: chatId };
      const query = new URLSearchParams(ids);
      const response = await fetch(`${agent.url}/v1/bot/chat/read?${query}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      if (!response.ok) throw new Error(`The agent answered ${response.status} to chat/read.`);
      return ((await response.json()) as { conversation: RecordedMessage[] }).conversation;
    },
    stop,
  };
}

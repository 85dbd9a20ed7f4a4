/** The tools of a workspace at size: each as a turn of a scripted model, and how long a call of somebody else waits meanwhile. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { listen, median, startAgent, timed } from './process.mjs';

const calls = [
  ['ls', { recursive: true }],
  ['glob', { pattern: '**/*7.txt' }],
  ['grep', { pattern: 'line [0-9]*77$' }],
  ['bash', { command: 'grep -rl "line 77$" . | wc -l; echo done > done.txt; rm done.txt' }],
];
const perFolder = 100;
const tries = 5;

/** A model that calls what the question says, and then is done. */
function startModel() {
  const model = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const last = JSON.parse(text).messages.at(-1);
    const [name, parameters] =
      last.role === 'user' ? (/<call>(.*)<\/call>/.exec(last.content)?.[1] ?? '').split(' ', 2) : [];
    const delta = name
      ? { tool_calls: [{ index: 0, id: 'c', function: { name, arguments: atob(parameters) } }] }
      : { content: last.content.slice(0, 1_000) };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\ndata: [DONE]\n\n`);
  });
  return listen(model).then((port) => ({ host: `http://127.0.0.1:${port}/v1`, close: () => model.close() }));
}

function fill(file, workspace, files) {
  const db = new Database(file);
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${files - 1})`;
  const content = "replace(printf('%090d', 0), '0', 'line ' || n || char(10))";
  db.exec(`${numbers} INSERT INTO files (uuid, workspace, path, version, size_bytes, last_edited_by, created_at, updated_at)
    SELECT 'file-' || n, '${workspace}', printf('/folder-%d/file-%d.txt', n % ${perFolder}, n), 1, length(${content}), 'user', 0, 0 FROM numbers;
    ${numbers} INSERT INTO file_versions (file, version, content, last_edited_by, created_at)
    SELECT id, 1, CAST(${content} AS BLOB), 'user', 0 FROM numbers JOIN files ON uuid = 'file-' || n`);
  db.close();
}

/** @param files in one workspace */
export async function measureTools(files) {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-agent-tools-'));
  const model = await startModel();
  const agent = await startAgent(folder, { PROVIDER_HOST: model.host, PROVIDER_MODEL: 'm' });
  const ask = async (call) => {
    const message = call ? `<call>${call[0]} ${btoa(JSON.stringify(call[1]))}</call>` : 'Hello';
    const input = { message, chat_id: 'c', chat_mode: 'edit', reasoning_mode: 'agent' };
    return (await agent.call('POST', '/v1/bot/chat', input)).chat;
  };
  fill(join(folder, 'agent.db'), (await ask()).workspace_uuid, files);
  const rows = [];
  for (const call of calls) {
    const times = [];
    let longestMs = 0;
    for (let at = 0; at < tries; at += 1) {
      let isOver = false;
      const others = (async () => {
        while (!isOver) longestMs = Math.max(longestMs, await timed(() => agent.call('GET', '/v1/bot/read')));
      })();
      let chat;
      times.push(
        await timed(async () => {
          chat = await ask(call);
        }),
      );
      isOver = true;
      await others;
      if (chat.executed_tools?.[0]?.success === false || chat.reply.startsWith('There is no'))
        throw new Error(`${call[0]}: ${chat.reply}`);
    }
    rows.push({ name: call[0], ms: median(times), longestMs });
  }
  await agent.stop();
  model.close();
  rmSync(folder, { recursive: true });
  return { files, rows };
}

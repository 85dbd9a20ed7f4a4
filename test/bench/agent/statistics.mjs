/** Each statistic of an agent at size: a year of conversations, of late with quicker answers, a tool in each third turn, a vote in each tenth, one turn of 50 failed, and a run of a workflow for each conversation. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { median, startAgent, timed } from './process.mjs';

const names = [
  'performance',
  'behavior',
  'votes',
  'summary',
  'dashboard',
  'tools',
  'workflows',
  'errors',
  'reasoning-summary',
];
const yearMs = 365 * 86_400_000;
const messagesPerChat = 8;

/** `n` is a number from 0; a conversation's second half comes a day later. */
const numbers = (count) =>
  `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})`;
const toChat = `n / ${messagesPerChat}`;
const toScattered = (n, below) => `((${n}) * 7919 % ${below})`;

function fill(file, messages, begin) {
  const db = new Database(file);
  const chats = messages / messagesPerChat;
  const every = Math.floor(yearMs / chats);
  const at = `(${begin} + ${toChat} * ${every} + n % ${messagesPerChat} * 40000 + (n % ${messagesPerChat} >= 4) * 86400000)`;
  const turn = `${numbers(messages)} SELECT`;
  for (const sql of [
    `INSERT INTO chats (id, bot_id, chat_id, subject, channel, member_id, persona, purpose, chat_mode, created_at, updated_at)
     ${numbers(chats)} SELECT n + 1, 'b', 'chat-' || n, 'A question', 'api', iif(n % 2, 'member-' || ${toScattered('n', 20_000)}, NULL),
       'visitor', 'none', 'ask', ${begin} + n * ${every}, ${begin} FROM numbers`,
    `INSERT INTO messages (uuid, chat, bot_id, role, content, reasoning_type, credit_used, tokens, sources, created_at, updated_at)
     ${turn} 'message-' || n, ${toChat} + 1, 'b', iif(n % 2, 'system', 'user'), 'Some words of a question or of an answer.', 'auto', 1, 10, '[]', ${at}, ${at} FROM numbers`,
    `INSERT INTO turns (bot_id, started_at, message_id, chat, ended, duration_ms, reasoning_type, steps, error_code, error_message)
     ${turn} 'b', ${at}, 'message-' || n, ${toChat} + 1, iif(n % 100 = 1, 'error', 'stop'),
       ${toScattered('n', 5_003)} / iif(n > ${Math.floor(messages * 0.9)}, 100, 1),
       iif(n % 3, 'standard', 'agent'), 1 + n % 4, iif(n % 100 = 1, 'code_' || n % 7, NULL), iif(n % 100 = 1, 'Something was wrong.', NULL)
     FROM numbers WHERE n % 2`,
    `INSERT INTO tool_calls (bot_id, name, created_at, execution_id, chat, ok, duration_ms)
     ${turn} 'b', 'tool_' || n % 12, ${at}, 'execution-' || n, ${toChat} + 1, n % 9 > 0, n % 800 FROM numbers WHERE n % 6 = 1`,
    `INSERT INTO votes (message_id, bot_id, voter_type, voter_id, vote_type, created_at)
     ${turn} 'message-' || n, 'b', 'member', 'v', iif(n % 4 = 1, 'upvote', 'downvote'), ${at} FROM numbers WHERE n % 20 IN (1, 3)`,
    `INSERT INTO workflows (id, uuid, bot_id, name, trigger_type, trigger_event, trigger_config, conditions, actions, is_active,
       anchor_at, created_at, updated_at) VALUES (1, 'w', 'b', 'Tell', 'event', 'chat.ended', '{}', '[]', '[]', 0, 0, 0, 0)`,
    `INSERT INTO workflow_runs (workflow, bot_id, trigger_type, trigger_event, status, created_at)
     ${numbers(chats)} SELECT 1, 'b', iif(n % 5, 'event', 'manual'), iif(n % 5, 'chat.ended', NULL), iif(n % 7, 'success', 'error'),
       ${begin} + n * ${every} FROM numbers`,
  ])
    db.exec(sql);
  db.close();
}

/** @param messages a multiple of eight */
export async function measureStatistics(messages) {
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-agent-statistics-'));
  let agent = await startAgent(folder);
  await agent.stop();
  const begin = Date.now() - yearMs - 2 * 86_400_000;
  fill(join(folder, 'agent.db'), messages, begin);
  agent = await startAgent(folder);
  const half = {
    from: new Date(begin + yearMs / 4).toISOString(),
    to: new Date(begin + (3 * yearMs) / 4).toISOString(),
  };
  const month = { from: new Date(begin + yearMs - 30 * 86_400_000).toISOString() };
  const rows = [];
  for (const name of names) {
    const take = async (asked) => {
      const times = [];
      for (let at = 0; at < 5; at += 1)
        times.push(await timed(() => agent.call('GET', `/v1/bot/stats/${name}`, undefined, asked)));
      return median(times);
    };
    rows.push({ name, allMs: await take({}), halfMs: await take(half), monthMs: await take(month) });
  }
  await agent.stop();
  rmSync(folder, { recursive: true });
  return { messages, rows };
}

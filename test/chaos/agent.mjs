/** An agent whose answers can be told from their questions: it writes on whoever listens, and remembers what it was asked. */
import { createServer } from 'node:http';
import { toFault } from './faults.mjs';

/** How long an answer takes. */
export const pace = { deltaMs: 60, words: 24 };

/** The answer to a question: always the same words, and no other question's. */
export function toAnswer(question) {
  return Array.from({ length: pace.words }, (_, index) => `${question}-${index} `).join('');
}

export async function startAgent() {
  /** How often each question was asked. */
  const asked = new Map();
  const records = new Map();
  const replies = new Map();
  let messages = 0;
  let workspaces = 0;

  const record = (chatId, role, content) => {
    const at = new Date().toISOString();
    const message = {
      uuid: `m-${++messages}`,
      chat_id: chatId,
      role,
      content,
      sources: [],
      created_at: at,
      updated_at: at,
    };
    const all = records.get(chatId) ?? [];
    all.push(message);
    records.set(chatId, all);
    return message;
  };
  const write = (response, event, data, bytewise) => {
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    if (bytewise) for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
    else response.write(text);
  };
  const open = (response) => response.writeHead(200, { 'content-type': 'text/event-stream' });
  const follow = (reply, response) => {
    open(response);
    if (reply.said !== '') write(response, 'delta', { text: reply.said });
    reply.readers.add(response);
    response.on('error', () => {});
    response.on('close', () => reply.readers.delete(response));
  };
  const run = (chatId, question) => {
    const reply = { said: '', readers: new Set(), over: false, cancelled: false };
    replies.set(chatId, reply);
    const words = toAnswer(question).match(/\S+ /g);
    const half = Math.floor(words.length / 2);
    const { midway, isOver, atEnd, bytewise } = toFault(question);
    const timer = setInterval(() => {
      if (midway && words.length === half) {
        for (const reader of reply.readers) midway(reader);
        if (isOver) {
          clearInterval(timer);
          return replies.delete(chatId);
        }
      }
      const word = reply.cancelled ? undefined : words.shift();
      if (word !== undefined) {
        reply.said += word;
        for (const reader of reply.readers) write(reader, 'delta', { text: word }, bytewise);
        return;
      }
      clearInterval(timer);
      reply.over = true;
      replies.delete(chatId);
      const agent = record(chatId, 'system', reply.said);
      for (const reader of reply.readers) {
        if (atEnd) {
          atEnd(reader);
          continue;
        }
        if (!reply.cancelled) write(reader, 'done', { chat: { reply: reply.said, agent, sources: [] } });
        reader.end();
      }
    }, pace.deltaMs);
    return reply;
  };
  const send = (response, value, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const { pathname, searchParams } = new URL(request.url, 'http://agent');
    const body = text === '' ? {} : JSON.parse(text);
    const chatId = body.chat_id ?? searchParams.get('chat_id');
    if (pathname === '/v1/bot/chat') {
      asked.set(body.message, (asked.get(body.message) ?? 0) + 1);
      const { refuse } = toFault(body.message);
      if (refuse) return refuse(response);
      record(chatId, 'user', body.message);
      return follow(run(chatId, body.message), response);
    }
    const reply = replies.get(chatId);
    if (pathname.endsWith('/cancel') && reply) reply.cancelled = true;
    if (pathname.endsWith('/subscribe')) return reply ? follow(reply, response) : send(response, {}, 404);
    if (pathname.endsWith('/stream-status')) return send(response, { streaming: reply !== undefined });
    if (pathname.endsWith('/workspace/create'))
      return send(response, { workspace: { uuid: `w-${++workspaces}` } });
    if (pathname.endsWith('/chat/read')) {
      const all = records.get(chatId) ?? [];
      const [page, each] = [
        Number(searchParams.get('page') ?? 1),
        Number(searchParams.get('per_page') ?? 10),
      ];
      return send(response, { total: all.length, conversation: all.slice((page - 1) * each, page * each) });
    }
    return send(response, { success: true, bot: { name: 'Wren', branding: {} } });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    asked,
    close: () => server.closeAllConnections(),
  };
}

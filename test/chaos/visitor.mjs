/** A visitor that asks, loses its connection, comes back at whatever helper is there, and compares what it is told. */
import { randomUUID } from 'node:crypto';
import { toAnswer } from './agent.mjs';

const patienceMs = 120_000;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param pick gives another helper's URL at every call, or none while all are away */
export function createVisitor(pick, counts) {
  let session;

  const call = async (method, path, body, headers = {}) => {
    const base = pick();
    if (!base) throw new Error('nobody there');
    return fetch(base + path, {
      method,
      headers: {
        ...(session && { authorization: `Bearer ${session}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
  };
  const begin = async () => {
    while (!session) {
      try {
        const response = await call('POST', '/session', {});
        if (response.ok) ({ session } = await response.json());
      } catch {}
      if (!session) await sleep(100);
    }
  };
  /** Reads until the end, or until the connection is lost, by chance or on purpose. */
  const read = async (response, told, leaveAfter) => {
    const decoder = new TextDecoder();
    let unread = '';
    let events = 0;
    for await (const bytes of response.body) {
      const blocks = (unread + decoder.decode(bytes, { stream: true })).split('\n\n');
      unread = blocks.pop();
      for (const block of blocks) {
        const [, id, kind, data] = /^id: (\d+)\nevent: (\S+)\ndata: (.*)$/.exec(block) ?? [];
        if (id === undefined) continue;
        if (kind === 'turn-started') told.text = '';
        else if (Number(id) !== told.lastId + 1 && told.lastId >= 0) counts.gaps += 1;
        told.lastId = Number(id);
        const now = performance.now();
        if (told.at && kind === 'text-delta')
          counts.longestGapMs = Math.max(counts.longestGapMs, Math.round(now - told.at));
        told.at = now;
        const value = JSON.parse(data);
        if (kind === 'text-delta') told.text += value.text;
        if (kind.startsWith('turn-') && kind !== 'turn-started') told.end = { kind, value };
        events += 1;
      }
      if (!told.end && events >= leaveAfter) return;
    }
  };

  return {
    /** One question to its end. */
    async ask(conversationId, stops) {
      await begin();
      const turnId = randomUUID();
      const question = `q${randomUUID().slice(0, 8)}`;
      const path = `/conversations/${conversationId}/turns/${turnId}`;
      const told = { text: '', lastId: -1, end: undefined, at: undefined };
      const until = performance.now() + patienceMs;
      let accepted = false;
      let stopped = false;
      while (!told.end && performance.now() < until) {
        try {
          const response = accepted
            ? await call(
                'GET',
                path,
                undefined,
                told.lastId >= 0 ? { 'last-event-id': String(told.lastId) } : {},
              )
            : await call('PUT', path, { text: question });
          if (response.status === 200) {
            accepted = true;
            await read(response, told, Math.random() < 0.5 ? 1 + Math.floor(Math.random() * 12) : Infinity);
          } else if (response.status === 409 && !accepted) return 'busy';
          else if (response.status === 204) throw new Error('204 without an end');
          else if (response.status < 500)
            counts.refused[response.status] = (counts.refused[response.status] ?? 0) + 1;
          if (stops && accepted && !stopped && !told.end) {
            stopped = (await call('DELETE', path)).status === 204;
          }
        } catch {
          await sleep(50 + Math.random() * 100);
        }
      }
      counts.asked += 1;
      const answer = toAnswer(question);
      const { kind, value } = told.end ?? { kind: 'none' };
      counts.ends[kind] = (counts.ends[kind] ?? 0) + 1;
      if (kind === 'none') counts.lost += 1;
      if (kind === 'turn-completed') {
        if (value.message.text !== answer) counts.fragments += 1;
        if (told.text !== answer) counts.mixed += 1;
      }
      if (!answer.startsWith(told.text)) counts.mixed += 1;
      if (stopped && kind === 'turn-stopped' && value.message.text === answer) counts.lateStops += 1;
      counts.questions.add(question);
      return kind;
    },
    /** As a widget reads it: a turn that is called live is followed to its end. */
    async history(conversationId) {
      const path = `/conversations/${conversationId}`;
      const { messages, liveTurn } = await (await call('GET', path)).json();
      if (liveTurn) await (await call('GET', `${path}/turns/${liveTurn.turnId}`)).text();
      return messages;
    },
  };
}

/** A visitor that asks, loses its connection, comes back at whatever helper is there, and compares what it is told. */
import { randomUUID } from 'node:crypto';
import { Agent, fetch } from 'undici';
import { toAnswer } from './agent.mjs';
import { toFault, toQuestion } from './faults.mjs';

const patienceMs = 120_000;
/** A helper's sockets are counted in the end: a browser's would rest for a minute. */
const dispatcher = new Agent({ keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * @param pick gives another helper's URL at every call, or none while all are away
 * @param random this visitor's own numbers
 * @param isKilled helpers are ended in mid-answer, which may be a reason to fail one
 */
export function createVisitor(pick, counts, random, isKilled) {
  let session;

  const call = async (method, path, body, headers = {}) => {
    const base = pick();
    if (!base) throw new Error('nobody there');
    const response = await fetch(base + path, {
      dispatcher,
      method,
      headers: {
        ...(session && { authorization: `Bearer ${session}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    // What nobody reads would hold its connection.
    if (!response.ok) await response.arrayBuffer();
    return response;
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
    /** One question to its end. @param fault of the agent @param own what the visitor does beside */
    async ask(conversationId, fault, own) {
      await begin();
      const turnId = randomUUID();
      const question = toQuestion(randomUUID().slice(0, 8), fault);
      const stops = own === 'F09 stops';
      const deletes = own === 'F33 deletes in mid-answer';
      const [tally, ownTally] = [fault, own].map((name) => counts.faults[name]);
      const blame = (name) => {
        counts[name] += 1;
        tally.broken += 1;
        ownTally.broken += 1;
        console.error(name, fault, own, question, conversationId, told);
      };
      const path = `/conversations/${conversationId}/turns/${turnId}`;
      const told = { text: '', lastId: -1, end: undefined, at: undefined };
      const until = performance.now() + patienceMs;
      const leaves = own !== 'waits' || random() < 0.5;
      const leaveAfter = leaves ? 1 + Math.floor(random() * 12) : Number.POSITIVE_INFINITY;
      let isFirst = true;
      let accepted = false;
      let stopped = false;
      let deleted = false;
      const put = () => call('PUT', path, { text: question });
      const putFiveTimes = async () => {
        const all = await Promise.all(Array.from({ length: 5 }, () => put().catch(() => undefined)));
        const [one = await put(), ...others] = all.filter((response) => response?.status === 200);
        for (const other of others) void other.body.cancel().catch(() => {});
        return one;
      };
      while (!told.end && !deleted && performance.now() < until) {
        try {
          const first = own === 'F20 asks five times at once' && isFirst ? putFiveTimes : put;
          const response = accepted
            ? await call(
                'GET',
                path,
                undefined,
                told.lastId >= 0 ? { 'last-event-id': String(told.lastId) } : {},
              )
            : await first();
          if (response.status === 200) {
            accepted = true;
            await read(response, told, isFirst || random() < 0.5 ? leaveAfter : Number.POSITIVE_INFINITY);
            if (isFirst && own === 'F21 asks something else under the same name')
              if ((await call('PUT', path, { text: `${question}?` })).status !== 409) blame('conflicts');
            isFirst = false;
          } else if (response.status === 409 && !accepted) return 'busy';
          else if (response.status === 204) throw new Error('204 without an end');
          else if (response.status < 500)
            counts.refused[response.status] = (counts.refused[response.status] ?? 0) + 1;
          if (stops && accepted && !stopped && !told.end) {
            stopped = (await call('DELETE', path)).status === 204;
          }
          if (deletes && accepted && !told.end)
            deleted = (await call('DELETE', `/conversations/${conversationId}`)).status === 204;
        } catch {
          await sleep(50 + random() * 100);
        }
      }
      counts.asked += 1;
      tally.runs += 1;
      ownTally.runs += 1;
      if (deleted) {
        await sleep(1_000);
        const left = await call('GET', `/conversations/${conversationId}`).catch(() => undefined);
        if (left?.ok) await left.arrayBuffer();
        if (left && left.status !== 404 && left.status < 500) blame('returned');
        counts.ends.deleted = (counts.ends.deleted ?? 0) + 1;
        return 'deleted';
      }
      const answer = toAnswer(question);
      const { kind, value } = told.end ?? { kind: 'none' };
      counts.ends[kind] = (counts.ends[kind] ?? 0) + 1;
      const { mayEnd } = toFault(question);
      const isHonest = (isKilled && kind === 'turn-failed') || (stopped && kind === 'turn-stopped');
      if (kind === 'none') blame('lost');
      else if (!mayEnd.includes(kind) && !isHonest) blame('wrongEnds');
      if (kind === 'turn-completed') {
        if (value.message.text !== answer) blame('fragments');
        if (told.text !== answer) blame('mixed');
      }
      if (!answer.startsWith(told.text)) blame('mixed');
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

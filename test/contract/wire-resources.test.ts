/** Clauses 22 and 23: pages of what was said, and small changes. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sendJson } from '../support/fake-agent.ts';
import { createGate } from '../support/gate.ts';
import { makePause, pauseWith, resumeWith } from '../support/pause.ts';
import { useRig } from '../support/rig.ts';
import { makeQuestion, makeSsoToken, toTurnPath } from '../support/visitor.ts';

const { rig, visitor } = await useRig();

test('clause 22: liveTurn is {turnId}, in the list and in the conversation, while the turn runs', async () => {
  const gate = createGate();
  rig.agent.nextChat(async (answer) => {
    answer.open();
    await gate.opened;
    answer.done('Yes.');
  });
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  expect((await visitor.history(conversationId)).liveTurn).toEqual({ turnId });
  expect((await visitor.list()).conversations[0]).toMatchObject({ id: conversationId, liveTurn: { turnId } });
  gate.open();
  await stream.whole();
  expect(await visitor.history(conversationId)).not.toHaveProperty('liveTurn');
  expect((await visitor.list()).conversations[0]).not.toHaveProperty('liveTurn');
});

test('clause 22: the list goes on with ?cursor={next}, newest first, each conversation once', async () => {
  const writer = await rig.visit();
  const asked: string[] = [];
  for (let count = 0; count < 23; count += 1) asked.push((await writer.chat()).conversationId);
  const seen: string[] = [];
  let next: string | undefined;
  let pages = 0;
  do {
    const page = await writer.list(next);
    seen.push(...page.conversations.map(({ id }) => id));
    next = page.next;
    pages += 1;
  } while (next !== undefined && pages < 10);
  expect(pages).toBeGreaterThan(1);
  expect(seen).toEqual(asked.reverse());
});

test('clause 22: later pages of a conversation hold older messages, each once, under the ids of the stream', async () => {
  const conversationId = randomUUID();
  const told: string[] = [];
  for (let count = 0; count < 25; count += 1) {
    const { stream, turnId } = await visitor.chat(makeQuestion(`turn ${count}`), conversationId);
    told.push(turnId, stream.ended('turn-completed').message.id);
  }
  const pages: string[][] = [];
  let next: string | undefined;
  do {
    const page = await visitor.history(conversationId, next);
    pages.push(page.messages.map(({ id }) => id));
    next = page.next;
  } while (next !== undefined && pages.length < 10);
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.reverse().flat()).toEqual(told);
});

test.each(['', 'x', '1', '-1.2', '99999999999.1', '../..'])(
  'clause 22: the cursor %j is 400, never an error of ours',
  async (cursor) => {
    const { conversationId } = await visitor.chat();
    for (const path of ['/conversations', `/conversations/${conversationId}`]) {
      const { status } = await visitor.call('GET', `${path}?cursor=${encodeURIComponent(cursor)}`);
      expect(status).toBe(400);
    }
  },
);

test('clause 23: PATCH {title} renames here and at the agent', async () => {
  const { conversationId } = await visitor.chat();
  expect((await visitor.call('PATCH', `/conversations/${conversationId}`, { title: 'Tea 🍵' })).status).toBe(
    204,
  );
  expect((await visitor.history(conversationId)).title).toBe('Tea 🍵');
  expect((await visitor.list()).conversations[0]?.title).toBe('Tea 🍵');
  expect(rig.agent.callsTo('PUT /v1/bot/chat/rename').at(-1)?.body).toMatchObject({
    title: 'Tea 🍵',
    chat_id: rig.agent.callsTo('POST /v1/bot/chat').at(-1)?.body.chat_id,
  });
  for (const body of [
    { title: '' },
    { title: 'x'.repeat(201) },
    { title: 1 },
    { title: 'a', mode: 'ask' },
    {},
  ])
    expect((await visitor.call('PATCH', `/conversations/${conversationId}`, body)).status).toBe(400);
});

async function visitAsMember() {
  rig.agent.override('POST /v1/bot/widget/sso', (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ member_id: 'm-1', project_member: true }));
  });
  const member = await rig.visit({ ssoToken: makeSsoToken({ email: 'staff@shop.test' }) });
  rig.agent.restore('POST /v1/bot/widget/sso');
  return member;
}

test('clause 23: PATCH {mode} beyond ask is for project members alone', async () => {
  const { conversationId } = await visitor.chat();
  const path = `/conversations/${conversationId}`;
  for (const mode of ['edit', 'plan']) {
    const { status, json } = await visitor.call('PATCH', path, { mode });
    expect([status, json.code]).toEqual([403, 'not-allowed']);
  }
  expect(rig.agent.callsTo('PUT /v1/bot/chat/mode')).toEqual([]);
  expect((await visitor.call('PATCH', path, { mode: 'root' })).status).toBe(400);

  const member = await visitAsMember();
  expect(member.reply.visitor.member).toBe(true);
  const own = await member.chat();
  expect((await member.call('PATCH', `/conversations/${own.conversationId}`, { mode: 'plan' })).status).toBe(
    204,
  );
  expect((await member.history(own.conversationId)).mode).toBe('plan');
  await member.chat(makeQuestion(), own.conversationId);
  expect(rig.agent.callsTo('POST /v1/bot/chat').at(-1)?.body.chat_mode).toBe('plan');
  // Of a chat that the agent does not have the next question says the mode.
  rig.agent.override('PUT /v1/bot/chat/mode', (_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { code: 'chat_not_found' } }));
  });
  const change = await member.call('PATCH', `/conversations/${own.conversationId}`, { mode: 'ask' });
  rig.agent.restore('PUT /v1/bot/chat/mode');
  expect(change.status).toBe(204);
});

test('clause 23: a plan that is accepted is over, and the next question edits; one that is declined stays', async () => {
  const member = await visitAsMember();
  const plan = makePause({ name: 'accept_plan', parameters: { title: 'Tidy up', steps: ['Write one'] } });
  for (const [decision, mode] of [
    ['approve', 'edit'],
    ['deny', 'plan'],
  ] as const) {
    rig.agent.nextChat(pauseWith(plan));
    const [id, turnId] = [randomUUID(), randomUUID()];
    await (await member.ask(id, turnId, { text: makeQuestion(), mode: 'plan' })).whole();
    rig.agent.nextResume(resumeWith('All right.'));
    const path = `${toTurnPath(id, turnId)}/decision`;
    expect((await member.call('POST', path, { decision })).status).toBe(202);
    await (await member.attach(id, turnId)).whole();
    expect((await member.history(id)).mode).toBe(mode);
    const question = makeQuestion();
    await member.chat(question, id);
    expect(rig.agent.chatsAbout(question).map(({ body }) => body.chat_mode)).toEqual([mode]);
  }
});

test('clause 23: a question may set the mode of its conversation, its first one too, of a project member alone', async () => {
  const asked = () => rig.agent.callsTo('POST /v1/bot/chat');
  const before = asked().length;
  for (const mode of ['edit', 'plan']) {
    const path = toTurnPath(randomUUID(), randomUUID());
    const { status, json } = await visitor.call('PUT', path, { text: makeQuestion(), mode });
    expect([status, json.code]).toEqual([403, 'not-allowed']);
  }
  expect(asked()).toHaveLength(before);
  const chat = async (who: typeof visitor, id: string, mode?: string) => {
    const question = makeQuestion();
    await (await who.ask(id, randomUUID(), { text: question, ...(mode && { mode }) })).whole();
    const told = rig.agent.chatsAbout(question).map(({ body }) => body.chat_mode);
    return [...told, (await who.history(id)).mode];
  };
  expect(await chat(visitor, randomUUID(), 'ask')).toEqual(['ask', 'ask']);
  const member = await visitAsMember();
  const id = randomUUID();
  expect(await chat(member, id, 'plan')).toEqual(['plan', 'plan']);
  expect(await chat(member, id, 'edit')).toEqual(['edit', 'edit']);
  // One that says none leaves it as it is, and so does one that is refused.
  expect(await chat(member, id)).toEqual(['edit', 'edit']);
  const gate = createGate();
  rig.agent.nextChat(async (answer) => {
    answer.open();
    await gate.opened;
    answer.done('Yes.');
  });
  const running = await member.ask(id, randomUUID(), makeQuestion());
  const refused = await member.call('PUT', toTurnPath(id, randomUUID()), { text: 'Two?', mode: 'plan' });
  expect(refused.status).toBe(409);
  gate.open();
  await running.whole();
  expect((await member.history(id)).mode).toBe('edit');
});

test('clause 23: a vote is up, down or none, and comes back with the message', async () => {
  const { conversationId, stream } = await visitor.chat();
  const { id } = stream.ended('turn-completed').message;
  const path = `/conversations/${conversationId}/messages/${id}/vote`;
  const votes = async () => (await visitor.history(conversationId)).messages.map(({ vote }) => vote);
  for (const [vote, type] of [
    ['up', 'upvote'],
    ['down', 'downvote'],
  ] as const) {
    expect((await visitor.call('PUT', path, { vote })).status).toBe(204);
    expect(await votes()).toEqual([undefined, vote]);
    expect(rig.agent.callsTo('PUT /v1/bot/chat/message/vote').at(-1)?.body).toMatchObject({
      type,
      voter_type: 'member',
    });
  }
  expect((await visitor.call('PUT', path, { vote: 'none' })).status).toBe(204);
  expect(await votes()).toEqual([undefined, undefined]);
  for (const body of [{ vote: 'UP' }, { vote: null }, {}, { vote: 'up', voter_id: 'x' }])
    expect((await visitor.call('PUT', path, body)).status).toBe(400);
  const unknown = `/conversations/${conversationId}/messages/${randomUUID()}.agent/vote`;
  expect((await visitor.call('PUT', unknown, { vote: 'up' })).status).toBe(404);
});

test('what a question takes the place of is gone for its readers as soon as the question is taken', async () => {
  const before = await visitor.chat(makeQuestion('stays'));
  const { conversationId } = before;
  const first = await visitor.chat(makeQuestion('the worse'), conversationId);
  await visitor.chat(makeQuestion('what followed'), conversationId);
  const question = makeQuestion('the better');
  const gate = createGate();
  // The agent takes its time with taking back.
  rig.agent.override('DELETE /v1/bot/chat/message/delete', async (call, response) => {
    await gate.opened;
    const record = rig.agent.records.get(String(call.body.chat_id)) ?? [];
    record.splice(record.findIndex(({ content }) => content === first.question));
    sendJson(response, { success: true });
  });
  const stream = await visitor.ask(conversationId, randomUUID(), { text: question, replaces: first.turnId });
  const { messages } = await visitor.history(conversationId);
  expect(messages.map(({ text }) => text)).toEqual([before.question, 'Hello there.', question]);
  gate.open();
  await stream.whole();
  stream.ended('turn-completed');
  rig.agent.restore('DELETE /v1/bot/chat/message/delete');
  const all = await visitor.history(conversationId);
  expect(all.messages.map(({ text }) => text)).toEqual([
    before.question,
    'Hello there.',
    question,
    'Hello there.',
  ]);
});

test('a question that replaces an earlier one takes its place, at the agent and in the history', async () => {
  const first = await visitor.chat();
  await visitor.chat(makeQuestion('the second'), first.conversationId);
  const question = makeQuestion('the better first');
  const stream = await visitor.ask(first.conversationId, randomUUID(), {
    text: question,
    replaces: first.turnId,
  });
  await stream.whole();
  expect(stream.last.kind).toBe('turn-completed');
  const { messages } = await visitor.history(first.conversationId);
  expect(messages.map(({ text }) => text)).toEqual([question, 'Hello there.']);
  expect(rig.agent.callsTo('DELETE /v1/bot/chat/message/delete').at(-1)?.body.truncate).toBe(true);
});

/** Clause 39: what is deleted is gone at once for every reader, then at the agent, and from the store's files. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGate } from '../support/gate.ts';
import { until } from '../support/helper-process.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { makeQuestion, type Visitor } from '../support/visitor.ts';

let rig: Rig;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-'));
  const env = { PORCHLIGHT_STORE: `sqlite:${join(folder, 'store.db')}` };
  rig = await startRig({ env, movableClock: true });
});
afterAll(async () => {
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

const words: string[] = [];
function makeWord(): string {
  const word = `w${randomUUID().replaceAll('-', '')}`;
  words.push(word);
  return word;
}
async function countInFiles(word: string): Promise<number> {
  let count = 0;
  for (const name of await readdir(folder)) {
    const text = (await readFile(join(folder, name))).toString('latin1');
    count += text.split(word).length - 1;
  }
  return count;
}
const chatsDeleted = () => rig.agent.callsTo('DELETE /v1/bot/chat/delete').map(({ query }) => query.chat_id);
const workspacesDeleted = () =>
  rig.agent.callsTo('DELETE /v1/bot/workspace/delete').map(({ query }) => query.workspace_uuid);

/** Something of every kind that the store keeps words of: completed, failed, stopped, titles, a running turn. */
async function leaveWords(visitor: Visitor, word: string): Promise<string[]> {
  const conversations: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const conversationId = randomUUID();
    conversations.push(conversationId);
    await visitor.chat(`${makeQuestion()} ${word}`, conversationId);
    rig.agent.nextChat((answer) => {
      answer.open();
      answer.event('delta', { text: `${word} said ` });
      answer.event('error', { error: { message: 'no', status: 500 } });
      answer.end();
    });
    await visitor.chat(`${makeQuestion()} ${word} ${'long '.repeat(2000)}`, conversationId);
    await visitor.call('PATCH', `/conversations/${conversationId}`, { title: `About ${word}` });
  }
  return conversations;
}

test('a history that is being read when its conversation is deleted is the same 404', async () => {
  const visitor = await rig.visit();
  const { conversationId } = await visitor.chat();
  const [reading, deleted] = [createGate(), createGate()];
  rig.agent.override('GET /v1/bot/chat/read', async (call, response, usual) => {
    reading.open();
    await deleted.opened;
    return usual(call, response);
  });
  const read = visitor.call('GET', `/conversations/${conversationId}`);
  await reading.opened;
  expect((await visitor.call('DELETE', `/conversations/${conversationId}`)).status).toBe(204);
  deleted.open();
  const { status, json } = await read;
  rig.agent.restore('GET /v1/bot/chat/read');
  expect([status, json.code]).toEqual([404, 'not-found']);
});

test('no word of a visitor is left in the files after erase, a running turn’s included', async () => {
  const word = makeWord();
  const visitor = await rig.visit();
  const conversations = await leaveWords(visitor, word);
  rig.agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: `${word} half ` });
    await answer.cancelled;
    answer.end();
  });
  const running = await visitor.ask(conversations[0] as string, randomUUID(), `${makeQuestion()} ${word}`);
  await running.untilText('half');
  // A checkpoint may carry it from one file to the other between the two reads.
  await expect.poll(() => countInFiles(word)).toBeGreaterThan(0);

  expect((await visitor.call('DELETE', '/visitor')).status).toBe(204);
  expect(await countInFiles(word)).toBe(0);
  await running.whole();
  expect(running.last.kind).toBe('turn-stopped');
  for (const id of conversations)
    expect((await visitor.call('GET', `/conversations/${id}`)).status).toBe(404);
  await visitor.chat();
  expect(await countInFiles(word)).toBe(0);
});

test('a deleted conversation leaves no word, and its chat and its workspace go at the agent', async () => {
  const word = makeWord();
  const visitor = await rig.visit();
  const [conversationId, question] = [randomUUID(), `${makeQuestion()} ${word}`];
  await visitor.chat(question, conversationId);
  const { chat_id, workspace_uuid } = rig.agent.chatsAbout(question)[0]?.body ?? {};
  expect((await visitor.call('DELETE', `/conversations/${conversationId}`)).status).toBe(204);
  expect(await countInFiles(word)).toBe(0);
  await until(() => chatsDeleted().includes(String(chat_id)), 'the chat is deleted');
  await until(() => workspacesDeleted().includes(String(workspace_uuid)), 'the workspace is deleted');
});

test('workspaces are made as service ones, which do not use up those of the site owner', async () => {
  await (await rig.visit()).chat();
  for (const { body } of rig.agent.callsTo('POST /v1/bot/workspace/create'))
    expect(body.purpose).toBe('service');
});

test('an agent that hangs keeps nothing readable, and one that refuses some keeps the others from nothing', async () => {
  const visitor = await rig.visit();
  const conversations = [];
  for (let count = 0; count < 8; count += 1) conversations.push((await visitor.chat()).conversationId);
  const refused: string[] = [];
  rig.agent.override('DELETE /v1/bot/chat/delete', (call, response) => {
    refused.push(String(call.query.chat_id));
    // Never answered: the call runs into its time limit.
    void response;
  });
  const erased = visitor.call('DELETE', '/visitor');
  expect((await erased).status).toBe(204);
  for (const id of conversations)
    expect((await visitor.call('GET', `/conversations/${id}`)).status).toBe(404);
  await until(() => refused.length > 0, 'the agent is asked to delete');
  rig.agent.restore('DELETE /v1/bot/chat/delete');

  const other = await rig.visit();
  const question = makeQuestion();
  const { conversationId } = await other.chat(question);
  await other.call('DELETE', `/conversations/${conversationId}`);
  const chatId = String(rig.agent.chatsAbout(question)[0]?.body.chat_id);
  await rig.helper.advanceUntil(() => chatsDeleted().includes(chatId), 'the other chat is deleted', 60_000);
  await rig.helper.advanceUntil(
    () => refused.every((id) => chatsDeleted().filter((one) => one === id).length > 1),
    'what the agent did not delete is tried again',
    120_000,
  );
});

test('nor is one left after the helper has stopped', async () => {
  expect(await rig.helper.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(words.length).toBe(2);
  for (const word of words) expect(await countInFiles(word)).toBe(0);
});

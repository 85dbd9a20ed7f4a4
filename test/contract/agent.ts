/** What any implementation of the agent API must do, as a suite over one that is running. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentClient, createAgentClient, type Frame, joinDeltas } from '../support/agentclient.ts';
import { agentRefusals } from './agentrefusals.ts';

export interface RunningAgent {
  baseUrl: string;
  /** Of somebody who runs the project. */
  apiKey: string;
  projectId: string;
  botId: string;
  close?(): Promise<void>;
}

const text = `# Larkfield warranty and care
Every Larkfield tarpaulin carries a warranty of eleven years against seam failure.
The warranty on a Larkfield tarpaulin begins on the day of delivery and needs no registration.
Send a faulty Larkfield tarpaulin to the workshop and the warranty pays for the postage both ways.`;
const question = 'What is the warranty on a Larkfield tarpaulin?';

export function agentContract(name: string, make: () => Promise<RunningAgent>) {
  describe(name, () => {
    let agent: RunningAgent;
    let client: AgentClient;

    beforeAll(async () => {
      agent = await make();
      client = createAgentClient(agent.baseUrl, agent);
      const { body } = await client.call('POST', '/v1/bot/source/create', {
        title: 'Tarpaulins',
        type: 'text',
        source: text,
      });
      for (let tries = 0; tries < 500; tries += 1) {
        const read = await client.call('GET', '/v1/bot/source/read', { source_id: body.source.uuid });
        if (read.body.source.status !== 'processing') return;
      }
      throw new Error('The source was not read.');
    });

    afterAll(() => agent.close?.());

    const stream = (input: object) =>
      client.stream('POST', '/v1/bot/chat', { message: question, stream: true, ...input });

    /** Reads on until the first words. */
    async function readToFirstDelta(frames: AsyncGenerator<Frame>): Promise<Frame[]> {
      const read: Frame[] = [];
      for (;;) {
        const { value, done } = await frames.next();
        if (done) return read;
        read.push(value);
        if (value.event === 'delta') return read;
      }
    }

    test('an answer that is not streamed comes as one chat object, and the record holds the same (S1, S2, S3, S10, S23, S103)', async () => {
      const chat_id = randomUUID();
      const { status, body } = await client.chat(question, { chat_id });
      expect(status).toBe(200);
      const { reply, user, agent: answer, sources, meta, usage } = body.chat;
      expect(reply).toContain('eleven years');
      expect(answer).toMatchObject({ content: reply, role: 'system', chat_id, isToolExecuting: false });
      expect(user).toMatchObject({ content: question, chat_id });
      expect(sources[0]).toMatchObject({ citation_number: 1, title: 'Tarpaulins', type: 'text' });
      expect(meta).toEqual([]);
      expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);

      const read = await client.call('GET', '/v1/bot/chat/read', { chat_id });
      expect(read.body.total).toBe(2);
      expect(read.body.conversation.map((message: { uuid: string }) => message.uuid)).toEqual([
        user.uuid,
        answer.uuid,
      ]);
      expect(read.body.pagination).toEqual({ page: 1, per_page: 10, total: 2, total_pages: 1 });
    });

    test('a streamed answer begins with start, ends with done, and its deltas joined are the reply (S111)', async () => {
      const chat_id = randomUUID();
      const frames = await client.streamAll('POST', '/v1/bot/chat', {
        message: question,
        stream: true,
        chat_id,
      });
      const last = frames.at(-1)!;
      expect(frames[0]).toMatchObject({ event: 'start', data: { chat_id } });
      expect(last.event).toBe('done');
      expect(joinDeltas(frames)).toBe(last.data.chat.reply);
      expect(last.data.chat.agent.uuid).toBe(frames[0]?.data.message_id);
      expect(frames.find(({ event }) => event === 'sources')?.data.sources).toEqual(last.data.chat.sources);
    });

    test('cancel ends the stream and keeps what was said so far', async () => {
      const chat_id = randomUUID();
      const frames = stream({ chat_id });
      const begun = await readToFirstDelta(frames);
      const cancelled = await client.call('POST', '/v1/bot/chat/cancel', { chat_id });
      expect(cancelled.body).toEqual({ success: true, message: 'cancelled' });
      const rest: Frame[] = [];
      for await (const frame of frames) rest.push(frame);
      const said = joinDeltas([...begun, ...rest]);
      expect(rest.at(-1)).toMatchObject({ event: 'done', data: { chat: { reply: said, cancelled: true } } });
      const { body } = await client.call('GET', '/v1/bot/chat/read', { chat_id });
      expect(body.conversation[1]).toMatchObject({ content: said, finish_reason: 'cancelled' });
    });

    test('cancel with nothing running says so and is no error', async () => {
      const { status, body } = await client.call('POST', '/v1/bot/chat/cancel', { chat_id: randomUUID() });
      expect(status).toBe(200);
      expect(body).toEqual({ success: true, message: 'nothing was running' });
    });

    test('a dropped connection does not stop the turn; subscribe replays it from its beginning', async () => {
      const chat_id = randomUUID();
      const frames = stream({ chat_id });
      const [start] = await readToFirstDelta(frames);
      await frames.return(undefined);
      const status = await client.call('GET', '/v1/bot/chat/stream-status', { chat_id });
      expect(status.body).toEqual({ streaming: true, message_id: start?.data.message_id });
      const active = await client.call('GET', '/v1/bot/chat/active-streams');
      expect(active.body.streams).toContainEqual({ chat_id, message_id: start?.data.message_id });

      const replayed = await client.streamAll('GET', '/v1/bot/chat/subscribe', { chat_id });
      expect(replayed[0]).toEqual(start);
      expect(replayed.at(-1)?.event).toBe('done');
      expect(joinDeltas(replayed)).toBe(replayed.at(-1)?.data.chat.reply);

      expect((await client.call('GET', '/v1/bot/chat/subscribe', { chat_id })).status).toBe(404);
      const after = await client.call('GET', '/v1/bot/chat/stream-status', { chat_id });
      expect(after.body).toEqual({ streaming: false });
    });

    test('a second call on a running conversation is 409 chat_busy', async () => {
      const chat_id = randomUUID();
      const frames = stream({ chat_id });
      await readToFirstDelta(frames);
      const second = await client.chat(question, { chat_id });
      expect(second.status).toBe(409);
      expect(second.body.error.code).toBe('chat_busy');
      await client.call('POST', '/v1/bot/chat/cancel', { chat_id });
    });

    test('conversations are listed newest first, renamed, paged and deleted (S54, S55, S99, S100, S144, S145)', async () => {
      const [older, newer] = [randomUUID(), randomUUID()];
      await client.chat(question, { chat_id: older });
      await client.chat(question, { chat_id: newer });
      const renamed = await client.call('PUT', '/v1/bot/chat/rename', { chat_id: newer, title: 'Tarps' });
      expect(renamed.status).toBe(200);
      const list = await client.call('GET', '/v1/bot/chat/readall', { per_page: 2 });
      expect(list.body.chats.map((chat: { chat_id: string }) => chat.chat_id)).toEqual([newer, older]);
      expect(list.body.chats[0]).toMatchObject({ subject: 'Tarps', message_count: 2 });
      expect(list.body.pagination.per_page).toBe(2);
      const large = await client.call('GET', '/v1/bot/chat/readall', { per_page: 500 });
      expect(large.body.pagination.per_page).toBe(100);

      const deleted = await client.call('DELETE', '/v1/bot/chat/delete', { chat_id: newer });
      expect(deleted.body.success).toBe(true);
      expect((await client.call('GET', '/v1/bot/chat/read', { chat_id: newer })).status).toBe(404);
    });

    test('a vote is counted once a voter and can be changed', async () => {
      const chat_id = randomUUID();
      const { body } = await client.chat(question, { chat_id });
      const message_id = body.chat.agent.uuid;
      const voter = { message_id, voter_id: 'visitor-1', voter_type: 'member' };
      await client.call('PUT', '/v1/bot/chat/message/vote', { ...voter, chat_id, type: 'upvote' });
      await client.call('PUT', '/v1/bot/chat/message/vote', { ...voter, chat_id, vote_type: 'downvote' });
      const status = await client.call('GET', '/v1/bot/chat/message/vote-status', voter);
      expect(status.body).toEqual({ voted: true, vote_type: 'downvote' });
      const read = await client.call('GET', '/v1/bot/chat/read', { chat_id });
      expect(read.body.conversation[1]).toMatchObject({ upvotes: 0, downvotes: 1 });
    });

    test('deleting a message with truncate deletes all later ones too', async () => {
      const chat_id = randomUUID();
      await client.chat(question, { chat_id });
      const second = await client.chat(question, { chat_id });
      const message_id = second.body.chat.user.uuid;
      await client.call('DELETE', '/v1/bot/chat/message/delete', { chat_id, message_id, truncate: true });
      expect((await client.call('GET', '/v1/bot/chat/read', { chat_id })).body.total).toBe(2);
    });

    test('a workspace is created, listed, and pinned by a call with purpose service (S20, S115, S116, S119)', async () => {
      const created = await client.call('POST', '/v1/bot/workspace/create', {
        name: 'For a visitor',
        purpose: 'service',
      });
      expect(created.status).toBe(201);
      const { uuid } = created.body.workspace;
      const list = await client.call('GET', '/v1/bot/workspace/readall', { per_page: 100 });
      expect(list.body.workspaces.map((workspace: { uuid: string }) => workspace.uuid)).toContain(uuid);

      const chat_id = randomUUID();
      const ask = { message: question, stream: true, purpose: 'service', chat_id };
      const first = await client.streamAll('POST', '/v1/bot/chat', { ...ask, workspace_uuid: uuid });
      expect(first[0]?.data.workspace_uuid).toBe(uuid);
      const second = await client.streamAll('POST', '/v1/bot/chat', ask);
      expect(second[0]?.data.workspace_uuid).toBe(uuid);
      const unknown = await client.chat(question, { purpose: 'service', workspace_uuid: randomUUID() });
      expect(unknown.status).toBe(404);
    });

    test('a workspace is deleted, but not the default one, and its conversations go on without it', async () => {
      const { body } = await client.call('POST', '/v1/bot/workspace/create', { purpose: 'service' });
      const { uuid } = body.workspace;
      const chat_id = randomUUID();
      const ask = { message: question, purpose: 'service', chat_id };
      await client.chat(question, { ...ask, workspace_uuid: uuid });
      const remove = (workspace_uuid: string) =>
        client.call('DELETE', '/v1/bot/workspace/delete', { workspace_uuid });
      expect(await remove(uuid)).toMatchObject({ status: 200, body: { success: true } });
      const { workspaces } = (await client.call('GET', '/v1/bot/workspace/readall', { per_page: 100 })).body;
      expect(workspaces.map((one: { uuid: string }) => one.uuid)).not.toContain(uuid);
      expect((await client.chat(question, ask)).status).toBe(200);
      expect((await remove(uuid)).status).toBe(404);
      const own = workspaces.find((one: { is_default: boolean }) => one.is_default);
      if (own) expect(await remove(own.uuid)).toMatchObject({ status: 400 });
    });

    test('edit and plan are refused on a conversation that is not the site builder’s (S78, S79, S143, S225)', async () => {
      const chat_id = randomUUID();
      await client.chat(question, { chat_id, purpose: 'service' });
      for (const chat_mode of ['edit', 'plan']) {
        const { status } = await client.call('PUT', '/v1/bot/chat/mode', { chat_id, chat_mode });
        expect(status).toBe(403);
      }
      expect((await client.call('PUT', '/v1/bot/chat/mode', { chat_id, mode: 'ask' })).status).toBe(200);
    });

    test('the bot is read with its name, model and branding', async () => {
      const { body } = await client.call('GET', '/v1/bot/read');
      expect(body.bot).toMatchObject({
        uuid: agent.botId,
        name: expect.any(String),
        model: expect.any(String),
      });
      expect(body.bot.branding).toMatchObject({
        accent_color: expect.any(String),
        theme: expect.stringMatching(/^(light|dark)$/),
        message_greetings: expect.any(Array),
        conversation_starters: expect.any(Array),
      });
    });

    test('search finds a passage by its words', async () => {
      const { body } = await client.call('POST', '/v1/bot/search', { keywords: 'tarpaulin seams', top: 3 });
      expect(body.results[0]).toMatchObject({
        title: 'Tarpaulins',
        content: expect.stringContaining('seam'),
      });
    });

    agentRefusals(() => client);
  });
}

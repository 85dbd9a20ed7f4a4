/** Clause 35: an earlier answer that goes on at the agent is never told as the next question's. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createGate } from '../support/gate.ts';
import { useRig } from '../support/rig.ts';
import { makeQuestion, toTurnPath } from '../support/visitor.ts';

const { rig, visitor } = await useRig();

const first = 'Your card number ';
const whole = `${first}is 4711.`;

/** An answer that heeds no cancel: a tool runs. Whoever subscribes is told it from its first word. */
async function askStubborn() {
  const [conversationId, turnId] = [randomUUID(), randomUUID()];
  const gate = createGate();
  rig.agent.nextChat(async (answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: first });
    rig.agent.streaming.set(answer.chatId, async (again) => {
      again.open();
      again.event('delta', { text: first });
      await gate.opened;
      again.event('delta', { text: 'is 4711.' });
      again.event('done', { chat: { reply: whole, agent: answer.recordReply(whole), sources: [] } });
      again.end();
      rig.agent.streaming.delete(answer.chatId);
    });
    await answer.closed;
  });
  const stream = await visitor.ask(conversationId, turnId, makeQuestion());
  await stream.untilText(first);
  return { conversationId, turnId, stream, gate };
}

test('a question that meets the stopped one’s answer still running fails rather than to be told that', async () => {
  const hows = ['409', '503', 'reset', 'reset after the head'];
  const turns = [];
  for (const how of hows) turns.push({ how, ...(await askStubborn()) });
  await Promise.all(
    turns.map(async ({ conversationId, turnId, stream }) => {
      await visitor.call('DELETE', toTurnPath(conversationId, turnId));
      await stream.whole();
    }),
  );
  const next = [];
  for (const { how, conversationId } of turns) {
    const asked = rig.agent.callsTo('POST /v1/bot/chat').length;
    rig.agent.nextChat(async (answer) => {
      if (how === 'reset after the head') answer.open();
      if (how.startsWith('reset')) answer.reset();
      else answer.refuse(Number(how));
    });
    next.push(await visitor.ask(conversationId, randomUUID(), makeQuestion()));
    await expect.poll(() => rig.agent.callsTo('POST /v1/bot/chat').length).toBe(asked + 1);
  }
  for (const { gate } of turns) setTimeout(gate.open, 1_000);
  setTimeout(() => rig.agent.streaming.clear(), 1_000);
  for (const [index, stream] of next.entries()) {
    await stream.whole();
    expect([hows[index], stream.last.kind, stream.text]).toEqual([hows[index], 'turn-failed', '']);
    const { messages } = await visitor.history(turns[index]!.conversationId);
    expect(messages.map(({ status }) => status)).toEqual(['completed', 'stopped', 'completed', 'failed']);
    expect(messages.at(-1)?.text).toBe('');
  }
}, 60_000);

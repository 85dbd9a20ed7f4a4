/** Clause 19: a question that the agent never had casts no doubt on the answer to the next one. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Script, sendJson } from '../support/fake-agent.ts';
import { useRig } from '../support/rig.ts';
import { makeQuestion } from '../support/visitor.ts';

const { rig, visitor } = await useRig();

const answered = 'Yes, we ship to Canada within five working days, from Leeds.';
/** The stream breaks after a few words, or none; the record has the whole answer a little later. */
const cutAfter =
  (heard: string): Script =>
  (answer) => {
    answer.recordQuestion();
    answer.open();
    if (heard !== '') answer.event('delta', { text: heard });
    setTimeout(() => answer.reset(), 50);
    setTimeout(() => answer.recordReply(answered), 700);
  };
test.each([
  ['a 500', 500, 'another question', false, 'Yes, we ship'],
  ['a 500', 500, 'the same question in its place, of which nothing was heard', true, ''],
  ['a 503', 503, 'another question of which nothing was heard', false, ''],
])('after a question that met %s (%i), %s, cut off, is answered from the record', async (...scene) => {
  const [, status, , isAgain, heard] = scene;
  rig.agent.nextChat(({ response }) => sendJson(response, { error: 'no' }, status));
  const text = makeQuestion();
  const { conversationId, turnId, stream } = await visitor.chat(text);
  expect(stream.ended('turn-failed').code).toBe('agent-unavailable');
  rig.agent.nextChat(cutAfter(heard));
  const body = isAgain ? { text, replaces: turnId } : { text: makeQuestion() };
  const second = await (await visitor.ask(conversationId, randomUUID(), body)).whole();
  expect(second.ended('turn-completed').message.text).toBe(answered);
});

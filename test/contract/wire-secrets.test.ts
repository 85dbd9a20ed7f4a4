/** What a full run of every route, good and bad, leaves in the log and in the answers. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { FakeAnswer } from '../support/fake-answer.ts';
import { expectNoSecrets, secrets, untilAsync, visitorMark } from '../support/helper-process.ts';
import { makePause, pauseWith, resumeWith } from '../support/pause.ts';
import { startRig } from '../support/rig.ts';
import { callHelper, makeQuestion, makeSsoToken, openSession, toTurnPath } from '../support/visitor.ts';

/** An agent that quotes everything that it was sent. */
function quote({ call, response }: FakeAnswer, status: number): void {
  const message = `${call.headers.authorization} ${JSON.stringify(call.body)}`;
  response.writeHead(status, { 'content-type': 'application/json', 'x-debug': secrets.apiKey });
  response.end(JSON.stringify({ success: false, error: { message, code: message } }));
}

test('neither API key nor SSO secret nor session secret nor a visitor’s text is in the log, and no secret in an answer (S160, S177)', async () => {
  const rig = await startRig({
    movableClock: true,
    env: { PORCHLIGHT_WEBHOOK_SECRET: secrets.webhookSecret },
  });
  const { agent, helper } = rig;
  const name = `Ada ${visitorMark}`;
  const email = `${visitorMark}@shop.test`;
  const ssoToken = makeSsoToken({ name, email });
  const ada = await rig.visit({ ssoToken });
  await openSession(helper, { ssoToken: `${ssoToken}x`, session: visitorMark });
  await openSession(helper, { ssoToken: makeSsoToken({ email, iat: 1, exp: 2 }) });
  await openSession(helper, {}, { origin: `https://${visitorMark}.test` });
  await callHelper(helper, 'POST', '/session', `{"${visitorMark}`);
  await callHelper(
    helper,
    'POST',
    '/webhooks/agent',
    { event: visitorMark },
    { 'x-service-signature': secrets.apiKey },
  );
  await callHelper(helper, 'GET', `/conversations?q=${visitorMark}`, undefined, {
    authorization: `Bearer ${visitorMark}`,
  });

  const ask = async (script: (answer: FakeAnswer) => void | Promise<void>) => {
    agent.nextChat(script);
    const stream = await ada.ask(randomUUID(), randomUUID(), {
      text: makeQuestion(),
      pasted: [visitorMark],
      page: { url: `https://shop.test/${visitorMark}`, title: visitorMark },
    });
    await helper.advanceUntil(() => stream.closed, 'the turn ends');
    return stream;
  };
  for (const status of [400, 401, 403, 404, 409, 429, 500])
    expect((await ask((answer) => quote(answer, status))).last.kind).toBe('turn-failed');
  await ask((answer) => answer.reset());
  await ask((answer) => {
    answer.response.writeHead(200, { 'content-type': `text/${visitorMark}` });
    answer.response.end(secrets.apiKey);
  });
  await ask((answer) => {
    answer.open();
    answer.event('error', { error: { message: `${secrets.apiKey} ${visitorMark}` } });
    answer.end();
  });
  await ask((answer) => {
    answer.open();
    answer.event(undefined, `{"text": ${secrets.apiKey}`);
    answer.end();
  });

  const { conversationId, turnId, stream } = await ada.chat();
  agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: { q: visitorMark } })));
  const paused = await ada.chat(makeQuestion(), conversationId);
  const decision = `${toTurnPath(conversationId, paused.turnId)}/decision`;
  await ada.call('POST', decision, { decision: visitorMark });
  agent.nextResume(resumeWith('Done.'));
  await ada.call('POST', decision, { decision: 'approve' });
  await (await ada.attach(conversationId, paused.turnId)).whole();
  const path = `/conversations/${conversationId}`;
  for (const route of ['PUT /v1/bot/chat/message/vote', 'PUT /v1/bot/chat/rename', 'GET /v1/bot/chat/read'])
    agent.override(route, (_, response) => void response.writeHead(500).end(secrets.apiKey + visitorMark));
  const vote = await ada.call('PUT', `${path}/messages/${stream.ended('turn-completed').message.id}/vote`, {
    vote: 'up',
  });
  const rename = await ada.call('PATCH', path, { title: visitorMark });
  const read = await ada.call('GET', path);
  expect([vote.status, rename.status, read.status]).toEqual([502, 502, 502]);
  agent.restore('GET /v1/bot/chat/read');
  await ada.call('PUT', toTurnPath(conversationId, turnId), { text: visitorMark });
  await ada.call('PUT', toTurnPath(visitorMark, visitorMark), {
    text: visitorMark,
    [visitorMark]: visitorMark,
  });
  // The agent that limited the rate is left alone for a minute.
  await helper.advance(61_000);
  await ada.call('GET', '/visitor');
  await ada.call('DELETE', '/visitor');

  await untilAsync(async () => helper.output.split('\n').length > 10, 'a log');
  expectNoSecrets(helper);
  for (const { session } of [ada]) expect(helper.output).not.toContain(session);
  expect(helper.output).not.toContain(ssoToken);
  await rig.close();
});

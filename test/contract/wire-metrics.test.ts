/** `GET /metrics`: what a monitor reads, and who may. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startHelper, visitorMark } from '../support/helper-process.ts';
import { makePause, pauseWith } from '../support/pause.ts';
import { useRig } from '../support/rig.ts';
import { makeQuestion, toTurnPath } from '../support/visitor.ts';

const token = 'metrics-token-of-forty-characters-0123456';
const { rig, visitor } = await useRig({ env: { PORCHLIGHT_METRICS_TOKEN: token } });

const get = (path = '/metrics', bearer = `Bearer ${token}`) =>
  rig.helper.fetch(path, { headers: { authorization: bearer } });

/** Each sample by its name with labels, as Prometheus has it. */
async function read(): Promise<Record<string, number>> {
  const text = await (await get()).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('# '));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] =
        /^(porchlight_[a-z_]+(?:\{[a-z]+="[\w.+-]+"\})?) (\d+(?:\.\d+)?(?:e-?\d+)?)$/.exec(line) ?? [];
      expect(name, line).toBeDefined();
      return [name, Number(value)];
    }),
  );
}

test('without a token there is no such path, and with one it takes that token alone', async () => {
  const closed = await startHelper({ agentUrl: rig.agent.url });
  expect((await closed.fetch('/metrics')).status).toBe(404);
  await closed.close();
  for (const bearer of ['', 'Bearer', `Bearer ${token}x`, `Bearer ${visitor.session}`, `Basic ${token}`]) {
    const response = await get('/metrics', bearer);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.json()).toMatchObject({ code: 'unauthenticated' });
  }
  expect((await get()).headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const atRoot = await fetch(`${rig.helper.origin}/metrics`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(atRoot.status).toBe(200);
});

test('turns are counted by their ends, with their times, and the calls of the agent by what came of them', async () => {
  const before = await read();
  const grown = async (name: string) => ((await read())[name] ?? 0) - (before[name] ?? 0);
  const ask = (conversationId = randomUUID()) =>
    visitor.ask(conversationId, randomUUID(), makeQuestion('metrics'));
  await (await ask()).whole();
  await (await ask()).whole();
  expect(await grown('porchlight_turns_total{end="completed"}')).toBe(2);
  expect(await grown('porchlight_first_word_seconds_count')).toBe(2);
  expect(await grown('porchlight_turn_seconds_bucket{le="+Inf"}')).toBe(2);

  rig.agent.nextChat((answer) => answer.refuse(402, {}));
  (await (await ask()).whole()).ended('turn-failed');
  expect(await grown('porchlight_turns_total{end="failed"}')).toBe(1);
  expect(await grown('porchlight_turn_failures_total{code="agent-refused"}')).toBe(1);
  expect(await grown('porchlight_agent_calls_total{outcome="402"}')).toBe(1);
  expect(await grown('porchlight_agent_calls_total{outcome="ok"}')).toBeGreaterThanOrEqual(2);
  // It said nothing.
  expect(await grown('porchlight_first_word_seconds_count')).toBe(2);

  rig.agent.nextChat(async (answer) => {
    answer.open();
    answer.event('delta', { text: 'Well, ' });
    await answer.closed;
  });
  const conversationId = randomUUID();
  const running = await ask(conversationId);
  await running.untilText('Well');
  const now = await read();
  expect(now.porchlight_live_turns).toBe(1);
  expect(now.porchlight_readers).toBe(1);
  await visitor.call(
    'DELETE',
    `/conversations/${conversationId}/turns/${running.all('turn-started')[0]?.turnId}`,
  );
  await running.whole();
  expect(await grown('porchlight_turns_total{end="stopped"}')).toBe(1);
  await expect.poll(async () => (await read()).porchlight_readers).toBe(0);
  expect((await read()).porchlight_live_turns).toBe(0);
});

test('a pause that is stopped is counted, and neither its first word again nor the time its visitor took', async () => {
  rig.agent.nextChat(pauseWith(makePause({ name: 'order_status', parameters: {} })));
  const conversationId = randomUUID();
  const turnId = randomUUID();
  const before = await read();
  const grown = async (name: string) => ((await read())[name] ?? 0) - (before[name] ?? 0);
  await (await visitor.ask(conversationId, turnId, makeQuestion('metrics'))).whole();
  expect(await grown('porchlight_turns_total{end="paused"}')).toBe(1);
  await visitor.call('DELETE', toTurnPath(conversationId, turnId));
  await expect.poll(() => grown('porchlight_turns_total{end="stopped"}')).toBe(1);
  expect(await grown('porchlight_first_word_seconds_count')).toBe(1);
  expect(await grown('porchlight_turn_seconds_count')).toBe(1);
});

test('refusals are counted by their code', async () => {
  const before = (await read())['porchlight_refusals_total{code="not-found"}'] ?? 0;
  expect((await visitor.call('GET', `/conversations/${randomUUID()}`)).status).toBe(404);
  expect((await read())['porchlight_refusals_total{code="not-found"}']).toBe(before + 1);
});

test('each family says what it is, buckets grow, and nothing of a visitor is in it', async () => {
  const text = await (await get()).text();
  const families = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)].map(([, name]) => name);
  expect(new Set(families).size).toBe(families.length);
  for (const name of families) expect(text).toMatch(new RegExp(`^# HELP ${name} [A-Z][^\\n]+$`, 'm'));
  for (const name of ['first_word', 'turn']) {
    const samples = text.matchAll(new RegExp(`^porchlight_${name}_seconds_bucket\\S+ (\\d+)$`, 'gm'));
    const counts = [...samples].map(([, count]) => Number(count));
    expect(counts.length).toBeGreaterThan(5);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  }
  expect(text).toMatch(/^porchlight_event_loop_delay_seconds\{quantile="0.99"\} \d/m);
  expect(text).toMatch(/^porchlight_resident_bytes \d{7,}$/m);
  expect(text).not.toContain(visitorMark);
});

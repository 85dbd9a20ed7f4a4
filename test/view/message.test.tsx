// @vitest-environment happy-dom
/** A message in each of its states, by role and name. */
import { type Signal, signal } from '@preact/signals';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, expect, test, vi } from 'vitest';
import type { Message, TurnEvent } from '../../server-helper/protocol/wire.ts';
import { WidgetError } from '../../widget/errors.ts';
import type { Entry } from '../../widget/state/entries.ts';
import { createTurnStream, renderChat } from '../support/renderchat.tsx';

afterEach(cleanup);

const at = '2026-01-02T12:00:00Z';
const toMessage = (change: Partial<Message>): Message => ({
  id: 'a',
  turnId: 't',
  role: 'agent',
  text: 'An answer.',
  status: 'completed',
  at,
  ...change,
});

async function ask() {
  const turns = [createTurnStream(), createTurnStream()];
  let put = 0;
  const chat = await renderChat(({ method }) =>
    method === 'PUT' ? turns[put++]!.response : new Response(null, { status: 204 }),
  );
  chat.conversation.send('Anything?');
  return { ...chat, say: (event: TurnEvent) => turns[put - 1]!.say(event) };
}
const answer = () => screen.getByRole('article', { name: 'Vesper' });
const status = () => answer().dataset.status;
const spoken = () => screen.getByRole('status').textContent;

test('sending, and then being worked on, it says so and not a word in the live region', async () => {
  await ask();
  await waitFor(() => expect(answer().textContent).toContain('Working on it'));
  expect(status()).toBe('sending');
  expect(spoken()).toBe('');
});

test('being written, it shows what is there, and the live region waits for the end', async () => {
  const { say } = await ask();
  say({ kind: 'text-delta', data: { text: 'An **ans' } });
  await waitFor(() => expect(status()).toBe('writing'));
  expect(answer().getAttribute('aria-busy')).toBe('true');
  expect(spoken()).toBe('');
});

/** A conversation in which more was asked on another device since. */
const toRecord = (turnId: string, answer: Partial<Message>) => {
  const of = (id: string, change: Partial<Message>) =>
    toMessage({ id: `${id} ${change.role}`, turnId: id, ...change });
  return {
    id: 'c',
    title: '',
    mode: 'ask',
    messages: [
      of(turnId, { role: 'visitor', text: 'Anything?' }),
      of(turnId, { role: 'agent', ...answer }),
      of('elsewhere', { role: 'visitor', text: 'Another one?' }),
      of('elsewhere', { role: 'agent', text: 'That too.' }),
    ],
  };
};

test('another try takes nothing back that was asked since on another device', async () => {
  const streams = [createTurnStream(), createTurnStream()];
  let put = 0;
  const { calls, conversation } = await renderChat(({ method }) => {
    if (method === 'PUT') return streams[put++]!.response;
    const { turnId } = conversation.entries.value[0]!;
    return toRecord(turnId, { text: '', status: 'failed', code: 'agent-unavailable' });
  });
  conversation.send('Anything?');
  streams[0]!.say({ kind: 'turn-failed', data: { code: 'agent-unavailable', retryable: true } });
  streams[0]!.end();
  fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  await screen.findByText('Another one?');
  await waitFor(() => expect(calls.filter(({ method }) => method === 'PUT')).toHaveLength(2));
  const [, again] = calls.filter(({ method }) => method === 'PUT');
  expect(again!.body).toMatchObject({ text: 'Anything?' });
  expect(JSON.stringify(again!.body)).not.toContain('replaces');
});

test('an answer asked for again takes nothing back that was asked since on another device: the words are a draft', async () => {
  const stream = createTurnStream();
  let put = 0;
  const { calls, conversation } = await renderChat(({ method }) => {
    put += Number(method === 'PUT');
    if (method === 'PUT' && put === 1) return stream.response;
    if (method === 'PUT') return new WidgetError('turn-conflict', undefined, 409);
    const { turnId } = conversation.entries.value[0]!;
    return toRecord(turnId, { text: 'Yes.' });
  });
  conversation.send('Anything?');
  const { turnId } = conversation.entries.value[0]!;
  stream.say({ kind: 'turn-completed', data: { message: toMessage({ turnId, text: 'Yes.' }) } });
  stream.end();
  fireEvent.click(await screen.findByRole('button', { name: 'Answer again' }));
  await screen.findByText('That too.');
  const [, again] = calls.filter(({ method }) => method === 'PUT');
  expect(again!.body).toMatchObject({ replaces: turnId, newest: turnId });
  await waitFor(() => expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('Anything?'));
  expect(screen.getByText('This was not sent yet. This could not be sent.', { selector: 'p' })).toBeTruthy();
  expect(conversation.entries.value.map(({ question }) => question)).toEqual(['Anything?', 'Another one?']);
});

test('character references are read once their names are there, in what was drawn before too', async () => {
  const { say } = await ask();
  const text =
    'First &rarr; then.\n\n# Then &amp; now\n\n`&amp;` [a](https://example.com/?a=1&amp;b=2) &#33; &nosuch;';
  say({ kind: 'turn-completed', data: { message: toMessage({ text }) } });
  await waitFor(() => expect(answer().textContent).toContain('First → then.Then & now'));
  expect(answer().textContent).toContain('&amp; a ! &nosuch;');
  expect(screen.getByRole('link', { name: 'a' }).getAttribute('href')).toBe('https://example.com/?a=1&b=2');
});

test('using a tool, it names the tool', async () => {
  const { say } = await ask();
  say({ kind: 'tool', data: { id: '1', name: 'search', title: 'Search', status: 'running' } });
  await screen.findByText('Using “Search”…');
  say({ kind: 'tool', data: { id: '1', name: 'search', title: 'Search', status: 'done' } });
  await screen.findByText('Used “Search”');
});

test.each([
  [
    'stopped',
    'has begun',
    { kind: 'turn-stopped', data: { message: toMessage({ text: '', status: 'stopped' }) } },
  ],
  ['failed', 'has begun', { kind: 'turn-failed', data: { code: 'agent-refused', retryable: false } }],
  ['over', 'is not told of', { kind: 'turn-completed', data: { message: toMessage({}) } }],
] satisfies [string, string, TurnEvent][])(
  'a tool of which no end was told is not used any more once the answer is %s: it %s',
  async (_, what, end) => {
    const { say } = await ask();
    say({ kind: 'tool', data: { id: '1', name: 'find', title: 'Find', status: 'done' } });
    say({ kind: 'tool', data: { id: '2', name: 'search', title: 'Search', status: 'running' } });
    await screen.findByText('Using “Search”…');
    say(end);
    await waitFor(() => expect(screen.queryByText('Using “Search”…')).toBeNull());
    expect(screen.getByText('Used “Find”')).toBeTruthy();
    expect(screen.queryByText('“Search” had begun') !== null).toBe(what === 'has begun');
  },
);

test('what the agent thinks is folded, told with its time, and no part of the answer', async () => {
  const { say } = await ask();
  say({ kind: 'reasoning-delta', data: { text: 'They ask ' } });
  const summary = await screen.findByText('Thinking it over…');
  say({ kind: 'reasoning-delta', data: { text: 'about tents.' } });
  const details = summary.closest('details')!;
  await waitFor(() => expect(details.textContent).toContain('They ask about tents.'));
  expect(details.open).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  say({ kind: 'text-delta', data: { text: 'Two kinds.' } });
  await screen.findByText('Thought for 1 second');
  expect(answer().querySelector('.body')?.textContent).toBe('Two kinds.');
  say({ kind: 'turn-completed', data: { message: toMessage({ text: 'Two kinds.' }) } });
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Answer: Two kinds.'));
});

test('completed, it is read out once, and its sources are a landmark of their own', async () => {
  const { say } = await ask();
  const sources = [
    { number: 1, id: 's', title: 'Shipping', url: 'https://shop.example/shipping', type: 'page' },
  ];
  say({ kind: 'turn-completed', data: { message: toMessage({ text: 'An **answer**.', sources }) } });
  await waitFor(() => expect(spoken()).toBe('Answer: An answer.'));
  expect(status()).toBe('completed');
  const link = await screen.findByRole('link', { name: 'Shipping' });
  expect(link.closest('nav')?.getAttribute('aria-label')).toBe('Sources of answer 1');
});

test('stopped, it says so, and offers nothing', async () => {
  const { say } = await ask();
  say({ kind: 'turn-stopped', data: { message: toMessage({ text: 'An', status: 'stopped' }) } });
  await screen.findByText('Stopped.', { selector: 'p' });
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});

test('failed after some words, it is called incomplete, and a click asks again in its place', async () => {
  const { say, calls } = await ask();
  say({ kind: 'text-delta', data: { text: 'Half' } });
  say({ kind: 'turn-failed', data: { code: 'agent-timeout', retryable: true } });
  await screen.findByText('This answer is incomplete. The agent cannot answer right now.', { selector: 'p' });
  await waitFor(() => expect(spoken()).toBe('The agent cannot answer right now.'));
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(calls.filter(({ method }) => method === 'PUT')).toHaveLength(2));
  expect(screen.getAllByRole('article', { name: 'You' })).toHaveLength(1);
});

test('failed for good, it offers no second try', async () => {
  const { say } = await ask();
  say({ kind: 'turn-failed', data: { code: 'agent-refused', retryable: false } });
  await screen.findByText('The agent cannot answer right now.', { selector: 'p' });
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});

test.each([
  [2_000, '00:02'],
  [250_500, '04:11'],
  [43_170_000, '11:59:30'],
])('failed for too many questions, it counts %i ms down from %s', async (retryAfterMs, time) => {
  const { say } = await ask();
  say({ kind: 'turn-failed', data: { code: 'rate-limited', retryable: true, retryAfterMs } });
  const retry = await screen.findByRole('button', { name: `Try again in ${time}` });
  expect(retry.hasAttribute('disabled')).toBe(true);
});

test('a wait goes on while another view is shown, and does not begin again', async () => {
  const { say } = await ask();
  say({ kind: 'turn-failed', data: { code: 'rate-limited', retryable: true, retryAfterMs: 20_000 } });
  await screen.findByRole('button', { name: 'Try again in 00:20' });
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 15_000);
  fireEvent.click(screen.getByRole('button', { name: 'Conversations' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Back to the conversation' }));
  await screen.findByRole('button', { name: /^Try again in 00:0[345]$/ });
  later.mockRestore();
});

test('its headings leave no level out, below the name of the chat', async () => {
  const { say } = await ask();
  const text = '#### Small\n\n###### Smaller\n\n# Great\n\n#';
  say({ kind: 'turn-completed', data: { message: toMessage({ text }) } });
  await screen.findByRole('heading', { name: 'Great', level: 1 });
  expect(screen.getByRole('heading', { name: 'Vesper', level: 2 })).toBeTruthy();
  expect(screen.getByRole('heading', { name: 'Small', level: 3 })).toBeTruthy();
  expect(screen.getByRole('heading', { name: 'Smaller', level: 4 })).toBeTruthy();
});

test('a link with nothing to see in it shows its host', async () => {
  const { say } = await ask();
  const text = '[](https://one.example/a) and [\u200b\u3164](https://two.example/b)';
  say({ kind: 'turn-completed', data: { message: toMessage({ text }) } });
  await screen.findByRole('link', { name: /one\.example/ });
  expect(screen.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
    'one.example',
    expect.stringContaining('two.example'),
  ]);
});

test('controls of direction around a link are not drawn', async () => {
  const { say } = await ask();
  const text = '\u202eread [this](https://one.example/)\u202c `\u2066x` **\u202db**';
  say({ kind: 'turn-completed', data: { message: toMessage({ text }) } });
  const link = await screen.findByRole('link', { name: 'this' });
  expect(link.closest('article')!.textContent).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});

test('of the next visitor it is read out too', async () => {
  const { say, panel, conversation, begin } = await ask();
  conversation.hide(false, { isReset: false, isTheirs: false });
  panel.reset();
  begin();
  conversation.send('Anything?');
  say({ kind: 'turn-completed', data: { message: toMessage({ text: 'Hello to you.' }) } });
  await waitFor(() => expect(spoken()).toBe('Answer: Hello to you.'));
});

test('a question that history tells again while it is shown is no longer on its way', async () => {
  const { conversation } = await ask();
  const question = () => screen.getByRole('article', { name: 'You' });
  await waitFor(() => expect(question().dataset.status).toBe('sending'));
  const [entry] = conversation.entries.value;
  const told = { ...entry!, answer: signal({ ...entry!.answer.value!, status: 'completed' as const }) };
  (conversation.entries as Signal<readonly Entry[]>).value = [told];
  await waitFor(() => expect(question().dataset.status).toBe('completed'));
});

test('of two questions that were left on their way both arrive', async () => {
  let isDown = true;
  const pending: ((error: WidgetError) => void)[] = [];
  const asked: string[] = [];
  const { conversation } = await renderChat(({ method, body }) => {
    if (method !== 'PUT') return { conversations: [] };
    if (isDown)
      return new Promise((_, reject) => {
        pending.push(reject);
      });
    asked.push((body as { text: string }).text);
    return createTurnStream().response;
  });
  for (const text of ['Alpha?', 'Beta?']) {
    conversation.send(text);
    conversation.startNew();
  }
  await waitFor(() => expect(pending).toHaveLength(4));
  isDown = false;
  for (const reject of pending) reject(new WidgetError('unreachable'));
  await waitFor(() => expect(asked.toSorted()).toEqual(['Alpha?', 'Beta?']));
});

test('a number in brackets leads to its source, where it is written as text', async () => {
  const source = { id: 's', type: 'website' };
  const { conversation } = await renderChat(() => ({
    id: 'c',
    title: '',
    mode: 'ask',
    messages: [
      toMessage({
        text: 'Six days [1], or nine [2][3]. Not [4], `[1]`, nor [this [1]](https://else.test/).',
        sources: [
          { ...source, number: 1, title: 'Shipping', url: 'https://shop.test/shipping?a=1&copy=2' },
          { ...source, number: 2, title: 'A file' },
          { ...source, number: 3, title: 'Evil', url: 'javascript:alert(1)' },
        ],
      }),
    ],
  }));
  await conversation.load('c');
  const mark = await screen.findByRole('link', { name: '[1]' });
  expect(mark.getAttribute('href')).toBe('https://shop.test/shipping?a=1&copy=2');
  expect(mark.getAttribute('rel')).toContain('noopener');
  expect(mark.title).toBe('Shipping (shop.test)');
  const body = mark.closest('.body')!;
  expect(body.textContent).toBe('Six days [1], or nine [2][3]. Not [4], [1], nor this [1].');
  expect([...body.querySelectorAll('a[href]')].map(({ textContent }) => textContent)).toEqual([
    '[1]',
    'this [1]',
  ]);
});

// @vitest-environment happy-dom
/** What can be done with an answer that has ended, by role and name: copying, voting, asking again, asking otherwise. */
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/preact';
import { afterEach, expect, test, vi } from 'vitest';
import type { Message } from '../../server-helper/protocol/wire.ts';
import { WidgetError } from '../../widget/errors.ts';
import type { Call } from '../../widget/transport/http.ts';
import { createTurnStream, type Reply, renderChat } from '../support/renderchat.tsx';

afterEach(cleanup);

const at = '2026-01-02T12:00:00Z';
const toTurn = (turnId: string, question: string, change: Partial<Message> = {}): Message[] => [
  { id: turnId, turnId, role: 'visitor', text: question, status: 'completed', at },
  {
    id: `${turnId}.agent`,
    turnId,
    role: 'agent',
    text: 'An **answer**.',
    status: 'completed',
    at,
    ...change,
  },
];

type Ask = { text: string; replaces?: string; newest?: string };

/** A conversation of these messages; what is asked is answered at once with `New answer.`, or as `respond` says. */
async function openChat(messages: Message[], respond: (call: Call) => Reply | undefined = () => undefined) {
  const chat = await renderChat((call) => {
    const given = respond(call);
    if (given) return given;
    if (call.path.endsWith('/vote')) return new Response(null, { status: 204 });
    if (call.method !== 'PUT') return { id: 'c', title: '', mode: 'ask', messages };
    const turnId = call.path.split('/').at(-1) as string;
    const stream = createTurnStream();
    stream.say({ kind: 'turn-started', data: { turnId, conversationId: 'c', at } });
    const message = {
      id: `${turnId}.agent`,
      turnId,
      role: 'agent',
      text: 'New answer.',
      status: 'completed',
      at,
    };
    stream.say({ kind: 'turn-completed', data: { message: message as Message } });
    stream.end();
    return stream.response;
  });
  await chat.conversation.load('c');
  const asked = () =>
    chat.calls
      .filter(({ method, path }) => method === 'PUT' && !path.endsWith('/vote'))
      .map(({ body }) => body as Ask);
  return { ...chat, asked };
}
const button = (name: string) => screen.findByRole('button', { name });

test('a completed answer is copied as markdown, and as it looks', async () => {
  const write = vi.fn(async (_: ClipboardItem[]) => {});
  vi.stubGlobal(
    'ClipboardItem',
    class {
      constructor(readonly data: Record<string, Blob>) {}
    },
  );
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { write } });
  await openChat(toTurn('t', 'Tents?'));
  fireEvent.click(await button('Copy the answer'));
  await button('Answer copied');
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Answer copied'));
  const { data } = write.mock.calls[0]![0][0] as unknown as { data: Record<string, Blob> };
  expect(await data['text/plain']!.text()).toBe('An **answer**.');
  expect(await data['text/html']!.text()).toContain('<strong>answer</strong>');
  vi.unstubAllGlobals();
});

test('where the browser refuses, it is said, and the answer is selected', async () => {
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined });
  await openChat(toTurn('t', 'Tents?'));
  fireEvent.click(await button('Copy the answer'));
  await screen.findByText(/did not let this be copied/, { selector: 'p' });
});

test('a vote is told and taken back, and one of before is shown', async () => {
  const { calls } = await openChat(toTurn('t', 'Tents?', { vote: 'down' }));
  const down = await button('This answer did not help');
  expect(down.getAttribute('aria-pressed')).toBe('true');
  fireEvent.click(down);
  await waitFor(() => expect(down.getAttribute('aria-pressed')).toBe('false'));
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Your vote was taken back.'));
  const up = await button('This answer helped');
  fireEvent.click(up);
  await waitFor(() => expect(up.getAttribute('aria-pressed')).toBe('true'));
  const votes = calls.filter(({ path }) => path.endsWith('/vote'));
  expect(votes.map(({ path, body }) => [path, body])).toEqual([
    ['/conversations/c/messages/t.agent/vote', { vote: 'none' }],
    ['/conversations/c/messages/t.agent/vote', { vote: 'up' }],
  ]);
});

test('of votes that are clicked while one is on its way the last is told after it', async () => {
  let arrive = () => {};
  const { calls } = await openChat(toTurn('t', 'Tents?'), ({ path }) =>
    path.endsWith('/vote')
      ? new Promise<Response>((resolve) => {
          arrive = () => resolve(new Response(null, { status: 204 }));
        })
      : undefined,
  );
  const [up, down] = [await button('This answer helped'), await button('This answer did not help')];
  for (const one of [up, down, up, down]) fireEvent.click(one);
  expect(down.getAttribute('aria-pressed')).toBe('true');
  const told = () => calls.filter(({ path }) => path.endsWith('/vote')).map(({ body }) => body);
  await waitFor(() => expect(told()).toEqual([{ vote: 'up' }]));
  arrive();
  await waitFor(() => expect(told()).toEqual([{ vote: 'up' }, { vote: 'down' }]));
  arrive();
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Thank you. Your vote was saved.'));
  expect([up, down].map((one) => one.getAttribute('aria-pressed'))).toEqual(['false', 'true']);
});

test('a vote that is not saved is shown as it was, and a click tries again', async () => {
  let isDown = true;
  await openChat(toTurn('t', 'Tents?'), ({ path }) =>
    isDown && path.endsWith('/vote') ? new WidgetError('agent-unavailable') : undefined,
  );
  const up = await button('This answer helped');
  fireEvent.click(up);
  await screen.findByText(/Your vote was not saved/, { selector: 'p' });
  expect(up.getAttribute('aria-pressed')).toBe('false');
  isDown = false;
  fireEvent.click(await button('Try again'));
  await waitFor(() => expect(up.getAttribute('aria-pressed')).toBe('true'));
  expect(screen.queryByText(/Your vote was not saved/, { selector: 'p' })).toBeNull();
});

test('nobody who is online is told to be offline', async () => {
  await openChat(toTurn('t', 'Tents?'), ({ path }) =>
    path.endsWith('/vote') ? new WidgetError('offline') : undefined,
  );
  fireEvent.click(await button('This answer helped'));
  await screen.findByText('Your vote was not saved. The chat cannot be reached right now.', {
    selector: 'p',
  });
});

test('the newest question is answered again in its place, and the answer before is at hand until something else is asked', async () => {
  const { asked, conversation } = await openChat([...toTurn('one', 'Tents?'), ...toTurn('two', 'Stoves?')]);
  const again = await button('Answer again');
  fireEvent.click(again);
  await screen.findByText('New answer.');
  expect(asked()).toEqual([{ text: 'Stoves?', replaces: 'two', newest: 'two' }]);
  expect(conversation.entries.value.map(({ question }) => question)).toEqual(['Tents?', 'Stoves?']);
  const former = await screen.findByText('The answer before');
  expect(within(former.closest('details')!).getByText('answer')).toBeTruthy();
  conversation.send('Packs?');
  await waitFor(() => expect(screen.queryByText('The answer before')).toBeNull());
});

test('what an answer was to take the place of goes with it once it is tried again, where it stood still', async () => {
  let failed: string | undefined;
  const { asked, conversation } = await openChat(toTurn('one', 'Stoves?'), ({ method, path }) => {
    if (method === 'PUT' && failed === undefined) {
      failed = path.split('/').at(-1) as string;
      const stream = createTurnStream();
      stream.say({ kind: 'turn-started', data: { turnId: failed, conversationId: 'c', at } });
      stream.say({ kind: 'turn-failed', data: { code: 'agent-unavailable', retryable: true } });
      stream.end();
      return stream.response;
    }
    if (method !== 'GET' || failed === undefined) return undefined;
    // The agent could not be had to take anything back.
    const change = { status: 'failed', text: '', code: 'agent-unavailable' } as const;
    const messages = [...toTurn('one', 'Stoves?'), ...toTurn(failed, 'Stoves?', change)];
    return { id: 'c', title: '', mode: 'ask', messages };
  });
  fireEvent.click(await button('Answer again'));
  fireEvent.click(await button('Try again'));
  await screen.findByText('New answer.');
  expect(asked()).toEqual([
    { text: 'Stoves?', replaces: 'one', newest: 'one' },
    { text: 'Stoves?', replaces: 'one', newest: failed },
  ]);
  expect(conversation.entries.value.map(({ question }) => question)).toEqual(['Stoves?']);
});

const composer = () => screen.getByRole<HTMLTextAreaElement>('textbox');
const enter = () => fireEvent.keyDown(composer(), { key: 'Enter' });
const changing = 'You are changing your last question.';

test('the newest question is asked otherwise, in the composer, and takes the former’s place', async () => {
  const { asked, conversation } = await openChat(toTurn('t', 'Tents?'));
  fireEvent.click(await button('Change your question'));
  await screen.findByText(changing, { selector: 'p' });
  expect(document.activeElement).toBe(composer());
  expect(composer().value).toBe('Tents?');
  expect(screen.getByRole('status').textContent).toBe(changing);
  fireEvent.input(composer(), { target: { value: 'Warm tents?' } });
  enter();
  await screen.findByText('New answer.');
  expect(asked()).toEqual([{ text: 'Warm tents?', replaces: 't', newest: 't' }]);
  expect(conversation.entries.value.map(({ question }) => question)).toEqual(['Warm tents?']);
  const former = (await screen.findByText('The answer before')).closest('details')!;
  within(former).getByText('Tents?');
  expect(screen.queryByText(changing, { selector: 'p' })).toBeNull();
});

test('a change that is cancelled leaves the composer empty, and the next question is a new one', async () => {
  const { asked } = await openChat(toTurn('t', 'Tents?'));
  fireEvent.click(await button('Change your question'));
  fireEvent.click(await button('Cancel'));
  expect(composer().value).toBe('');
  expect(screen.getByRole('status').textContent).toBe('');
  expect(document.activeElement).toBe(composer());
  fireEvent.input(composer(), { target: { value: 'Packs?' } });
  enter();
  await screen.findByText('New answer.');
  expect(asked()).toEqual([{ text: 'Packs?' }]);
});

test('a change is kept while the conversation is read anew, left and closed', async () => {
  const { conversation, panel, asked } = await openChat(toTurn('t', 'Tents?'));
  fireEvent.click(await button('Change your question'));
  fireEvent.input(composer(), { target: { value: 'Warm tents' } });
  const before = conversation.entries.value[0];
  conversation.refresh();
  await waitFor(() => expect(conversation.entries.value[0]).not.toBe(before));
  panel.show('history');
  panel.show('conversation');
  panel.setOpen(false);
  await waitFor(() => expect(screen.queryByRole('textbox')).toBeNull());
  panel.setOpen(true);
  await screen.findByText(changing, { selector: 'p' });
  expect(composer().value).toBe('Warm tents');
  enter();
  await screen.findByText('New answer.');
  expect(asked()).toEqual([{ text: 'Warm tents', replaces: 't', newest: 't' }]);
});

test('a change takes the place of nothing that was asked since, and is a question of its own', async () => {
  const { conversation, asked } = await openChat(toTurn('t', 'Tents?'));
  fireEvent.click(await button('Change your question'));
  fireEvent.input(composer(), { target: { value: 'Warm tents?' } });
  // As another tab would.
  conversation.send('Stoves?');
  await screen.findByText('New answer.');
  expect(screen.queryByText(changing, { selector: 'p' })).toBeNull();
  expect(composer().value).toBe('Warm tents?');
  await waitFor(() => expect(conversation.running.value).toBeUndefined());
  enter();
  await waitFor(() => expect(asked()).toHaveLength(2));
  expect(asked()).toEqual([{ text: 'Stoves?' }, { text: 'Warm tents?' }]);
  await waitFor(() =>
    expect(conversation.entries.value.map(({ question }) => question)).toEqual([
      'Tents?',
      'Stoves?',
      'Warm tents?',
    ]),
  );
});

test('what the visitor is writing is not taken away by a change', async () => {
  await openChat(toTurn('t', 'Tents?'));
  const change = await button('Change your question');
  fireEvent.input(composer(), { target: { value: 'And packs' } });
  await waitFor(() => expect(change.hasAttribute('disabled')).toBe(true));
});

test('what a refused change was to take the place of is there again with the next question', async () => {
  let isRefused = true;
  const { conversation } = await openChat(toTurn('t', 'Tents?'), ({ method, path }) =>
    isRefused && method === 'PUT' && path.includes('/turns/')
      ? new WidgetError('rate-limited', 0)
      : undefined,
  );
  fireEvent.click(await button('Change your question'));
  fireEvent.input(composer(), { target: { value: 'Warm tents?' } });
  enter();
  await screen.findByText('Too many questions right now.', { selector: 'p' });
  isRefused = false;
  fireEvent.input(composer(), { target: { value: 'Stoves?' } });
  enter();
  await screen.findByText('New answer.');
  await screen.findByText('Tents?');
  expect(conversation.entries.value.map(({ question }) => question)).toEqual(['Tents?', 'Stoves?']);
  expect(composer().value).toBe('Warm tents?');
});

test('an earlier answer is copied and voted on, and neither asked again nor changed', async () => {
  await openChat([...toTurn('one', 'Tents?'), ...toTurn('two', 'Stoves?')]);
  await waitFor(() => expect(screen.getAllByRole('button', { name: 'Copy the answer' })).toHaveLength(2));
  expect(screen.getAllByRole('button', { name: 'This answer helped' })).toHaveLength(2);
  expect(screen.getAllByRole('button', { name: 'Answer again' })).toHaveLength(1);
  expect(screen.getAllByRole('button', { name: 'Change your question' })).toHaveLength(1);
});

test('a failed answer’s question can be changed, and there is nothing to copy or vote on', async () => {
  await openChat(toTurn('t', 'Tents?', { status: 'failed', text: '', code: 'agent-refused' }));
  await button('Change your question');
  for (const name of ['Copy the answer', 'This answer helped', 'Answer again'])
    expect(screen.queryByRole('button', { name })).toBeNull();
});

test('when it was said stands with the answer: the hour, and the day of another one', async () => {
  await openChat(toTurn('t', 'Tents?'));
  const time = await waitFor(() => {
    const found = document.querySelector('time');
    expect(found).not.toBeNull();
    return found!;
  });
  expect(time.dateTime).toBe(at);
  expect(time.textContent).toMatch(/Jan/);
});

// @vitest-environment happy-dom
/** The composer as its users find it: by role and name, with keys and clicks. */
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, expect, test, vi } from 'vitest';
import { limits } from '../../server-helper/protocol/wire.ts';
import { WidgetError } from '../../widget/errors.ts';
import { createTurnStream, renderChat } from '../support/renderchat.tsx';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Your question' });
const write = (value: string) => fireEvent.input(field(), { target: { value } });
const press = (init: KeyboardEventInit) => fireEvent.keyDown(field(), init);

async function open() {
  const turn = createTurnStream();
  const chat = await renderChat(({ method }) =>
    method === 'PUT' ? turn.response : new Response(null, { status: 204 }),
  );
  const asked = () =>
    chat.calls.filter(({ method }) => method === 'PUT').map(({ body }) => (body as { text: string }).text);
  return { ...chat, turn, asked };
}

test('Enter sends the question and empties the composer', async () => {
  const { asked } = await open();
  write('  Is it warm?\n');
  press({ key: 'Enter' });
  await waitFor(() => expect(asked()).toEqual(['Is it warm?']));
  expect(field().value).toBe('');
  expect(screen.getByRole('article', { name: 'You' }).textContent).toBe('Is it warm?');
});

test.each([
  ['Shift+Enter', { key: 'Enter', shiftKey: true }],
  ['an Enter within a composition', { key: 'Enter', isComposing: true }],
  ['an Enter that Safari tells of after a composition', { key: 'Enter', keyCode: 229 }],
])('%s sends nothing', async (_, key) => {
  const { asked } = await open();
  write('日本');
  press(key);
  expect(asked()).toEqual([]);
  expect(field().value).toBe('日本');
});

test('a click on Send asks, and a second one that follows at once stops nothing', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { asked, calls, turn } = await open();
  const stops = () => calls.filter(({ method }) => method === 'DELETE');
  write('Once?');
  fireEvent.click(screen.getByRole('button', { name: 'Send' }), { detail: 1 });
  turn.say({ kind: 'text-delta', data: { text: 'One' } });
  const stop = await screen.findByRole('button', { name: 'Stop the answer' });
  fireEvent.click(stop, { detail: 2 });
  // A phone counts each tap as a first one.
  fireEvent.click(stop, { detail: 1 });
  await screen.findByText('One');
  expect(stops()).toEqual([]);
  vi.advanceTimersByTime(401);
  fireEvent.click(stop, { detail: 1 });
  await waitFor(() => expect(stops()).toHaveLength(1));
  expect(asked()).toEqual(['Once?']);
});

test('Enter while an answer is written keeps the draft and says why', async () => {
  const { asked, turn } = await open();
  write('First?');
  press({ key: 'Enter' });
  await screen.findByRole('button', { name: 'Stop the answer' });
  write('Second?');
  press({ key: 'Enter' });
  const why = 'An earlier question is still open. Wait for the end, or stop it.';
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe(why));
  expect(field().value).toBe('Second?');
  expect(asked()).toEqual(['First?']);
  turn.say({ kind: 'turn-failed', data: { code: 'agent-refused', retryable: false } });
  await screen.findByRole('button', { name: 'Send' });
  expect(screen.queryByText(why, { ignore: '[role="status"]' })).toBeNull();
});

test('a text over the limit is kept whole, said to be too long, and not sent until it is shorter', async () => {
  const { asked } = await open();
  write('x'.repeat(limits.maxTextChars + 3));
  await screen.findAllByText('This is too long by 3 characters.');
  press({ key: 'Enter' });
  expect(asked()).toEqual([]);
  expect(field().value).toHaveLength(limits.maxTextChars + 3);
  write('x'.repeat(limits.maxTextChars));
  press({ key: 'Enter' });
  await waitFor(() => expect(asked()).toHaveLength(1));
});

test('a draft is there again when the panel is closed and opened, and is gone with its visitor', async () => {
  const { panel } = await open();
  write('Half a thought');
  panel.setOpen(false);
  await waitFor(() => expect(screen.queryByRole('textbox')).toBeNull());
  panel.setOpen(true);
  await waitFor(() => expect(field().value).toBe('Half a thought'));
  panel.reset();
  await waitFor(() => expect(field().value).toBe(''));
});

test('a starter asks its question', async () => {
  const { asked } = await open();
  fireEvent.click(screen.getByRole('button', { name: 'What can you do?' }));
  await waitFor(() => expect(asked()).toEqual(['What can you do?']));
  expect(document.activeElement).toBe(field());
});

test('an answer that runs already can be stopped the moment it is shown', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { conversation, calls, turn } = await open();
  conversation.send('Asked elsewhere');
  turn.say({ kind: 'text-delta', data: { text: 'One' } });
  fireEvent.click(await screen.findByRole('button', { name: 'Stop the answer' }), { detail: 1 });
  await waitFor(() => expect(calls.some(({ method }) => method === 'DELETE')).toBe(true));
});

test('a key held down on Send is one wish: what repeats itself clicks nothing', async () => {
  await open();
  write('Once?');
  const send = screen.getByRole('button', { name: 'Send' });
  expect(fireEvent.keyDown(send, { key: 'Enter' })).toBe(true);
  expect(fireEvent.keyDown(send, { key: 'Enter', repeat: true })).toBe(false);
});

async function askInVain() {
  const chat = await renderChat(({ method, path }) => {
    if (method === 'PUT') return new WidgetError('offline');
    if (path === '/conversations')
      return { conversations: [{ id: 'one', title: 'Tents', updatedAt: '2026-01-02T12:00:00Z' }] };
    return { id: 'one', title: 'Tents', mode: 'ask', messages: [] };
  });
  write('Is it warm?');
  press({ key: 'Enter' });
  await screen.findByText(/The chat cannot be reached. Trying again/);
  return chat;
}

test('a question that is not delivered goes back to the composer with a new conversation', async () => {
  const { calls } = await askInVain();
  fireEvent.click(screen.getByRole('button', { name: 'New conversation' }));
  await waitFor(() => expect(field().value).toBe('Is it warm?'));
  expect(screen.queryByText(/Trying again/)).toBeNull();
  const tries = calls.length;
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(calls).toHaveLength(tries);
});

test('a question that is not delivered goes back to the composer, before what is written there, when another conversation is opened', async () => {
  await askInVain();
  write('and dry?');
  fireEvent.click(screen.getByRole('button', { name: 'Conversations' }));
  fireEvent.click(await screen.findByRole('button', { name: /^Tents/ }));
  await waitFor(() => expect(field().value).toBe('Is it warm?\nand dry?'));
});

test('Stop on a question that waits for its session gives it back to the composer', async () => {
  await renderChat(() => new WidgetError('internal'), { isReady: () => false });
  write('Is it warm?');
  press({ key: 'Enter' });
  fireEvent.click(await screen.findByRole('button', { name: 'Stop the answer' }));
  await waitFor(() => expect(field().value).toBe('Is it warm?'));
});

test('a question in a conversation that was deleted elsewhere goes back to the composer of a new one, which says why', async () => {
  const { conversation, calls } = await renderChat(({ method }) =>
    method === 'PUT' ? new WidgetError('not-found') : { id: 'one', title: '', mode: 'ask', messages: [] },
  );
  await conversation.load('one');
  write('Still there?');
  press({ key: 'Enter' });
  await screen.findByText(/This conversation is no longer there/);
  await waitFor(() => expect(field().value).toBe('Still there?'));
  press({ key: 'Enter' });
  await waitFor(() => expect(calls.filter(({ method }) => method === 'PUT')).toHaveLength(2));
  const [first, second] = calls
    .filter(({ method }) => method === 'PUT')
    .map(({ path }) => path.split('/')[2]);
  expect(first).toBe('one');
  expect(second).not.toBe('one');
});

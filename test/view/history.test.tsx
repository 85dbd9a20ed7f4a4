// @vitest-environment happy-dom
/** The list of conversations, by role and name: to open one, to delete one, and what is said when that fails. */
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/preact';
import { afterEach, expect, test } from 'vitest';
import { WidgetError } from '../../widget/errors.ts';
import type { Call } from '../../widget/transport/http.ts';
import { createTurnStream, type Reply, renderChat } from '../support/renderchat.tsx';

afterEach(cleanup);

const at = '2026-01-02T12:00:00Z';
const rows = [
  { id: 'one', title: 'Tents', updatedAt: at },
  { id: 'two', title: '', updatedAt: at },
];
const message = { id: 'm', turnId: 't', role: 'agent', text: 'About tents.', status: 'completed', at };

async function openList(respond: (call: Call) => Reply | undefined = () => undefined) {
  const chat = await renderChat((call) => {
    const given = respond(call);
    if (given) return given;
    if (call.method === 'DELETE') return new Response(null, { status: 204 });
    return call.path === '/conversations'
      ? { conversations: rows }
      : { id: 'one', title: '', mode: 'ask', messages: [message] };
  });
  fireEvent.click(screen.getByRole('button', { name: 'Conversations' }));
  return chat;
}
/** What comes behind the first page is on its way until it is given. */
async function openFirstPage() {
  let give = (_: object) => {};
  const next = new Promise<object>((resolve) => {
    give = resolve;
  });
  const { calls } = await openList(({ path }) => {
    if (path === '/conversations') return { conversations: rows, next: 'c' };
    return path.includes('cursor') ? next : undefined;
  });
  return { calls, give };
}
const findRow = async (name: string) => {
  const open = await screen.findByRole('button', { name: new RegExp(`^${name}`) });
  return within(open.closest('li')!);
};
const paths = (calls: readonly Call[], method: string) =>
  calls.filter((call) => call.method === method).map(({ path }) => path);

test('a conversation opens by its title, or by a name where it has none', async () => {
  await openList();
  await findRow('Conversation');
  fireEvent.click(await screen.findByRole('button', { name: /^Tents/ }));
  await screen.findByText('About tents.');
  expect(document.activeElement).toBe(screen.getByRole('textbox'));
});

test('today’s conversation has its hour, an earlier one its day, one of another year the year too', async () => {
  const now = new Date();
  const january = new Date(now.getFullYear(), 0, now.getMonth() === 0 && now.getDate() === 1 ? 2 : 1, 12);
  const dated = [now, january, new Date(2019, 4, 6, 12)].map((date, index) => ({
    id: `${index}`,
    title: `Talk ${index}`,
    updatedAt: date.toISOString(),
  }));
  await openList(({ path }) => (path === '/conversations' ? { conversations: dated } : undefined));
  const read = async (index: number) => (await screen.findByText(`Talk ${index}`)).nextSibling?.textContent;
  expect(await read(0)).toMatch(/^\d{1,2}:\d{2}\s(AM|PM)$/);
  expect(await read(1)).toMatch(/^Jan \d$/);
  expect(await read(2)).toBe('May 6, 2019');
});

test('an empty list says so', async () => {
  await openList(({ path }) => (path === '/conversations' ? { conversations: [] } : undefined));
  await screen.findByText('No conversations yet.');
});

test('an empty list has the conversation that was on its way when it was read, once that has arrived', async () => {
  const stream = createTurnStream();
  let isThere = false;
  const { conversation } = await openList(({ method, path }) => {
    if (method === 'PUT') return stream.response;
    return path === '/conversations' ? { conversations: isThere ? rows : [] } : undefined;
  });
  conversation.send('Which tents?');
  await screen.findByText('No conversations yet.');
  const turnId = conversation.running.value!;
  const whole = { id: 'a', turnId, role: 'agent', text: 'Ten.', status: 'completed', at } as const;
  isThere = true;
  stream.say({ kind: 'turn-completed', data: { message: whole } });
  stream.end();
  await findRow('Tents');
  expect(screen.queryByText('No conversations yet.')).toBeNull();
});

test('deleting asks once more, with the focus on Keep, and Keep or Escape gives it back', async () => {
  const { calls, panel } = await openList();
  const row = await findRow('Tents');
  fireEvent.click(row.getByRole('button', { name: 'Delete “Tents”' }));
  await waitFor(() => expect(document.activeElement).toBe(row.getByRole('button', { name: 'Keep' })));
  fireEvent.click(row.getByRole('button', { name: 'Keep' }));
  await waitFor(() =>
    expect(document.activeElement).toBe(row.getByRole('button', { name: 'Delete “Tents”' })),
  );
  fireEvent.click(row.getByRole('button', { name: 'Delete “Tents”' }));
  fireEvent.keyDown(await row.findByRole('button', { name: 'Keep' }), { key: 'Escape' });
  await waitFor(() =>
    expect(document.activeElement).toBe(row.getByRole('button', { name: 'Delete “Tents”' })),
  );
  expect(panel.isOpen.value).toBe(true);
  expect(paths(calls, 'DELETE')).toEqual([]);
});

test('deleting takes the row away, and the focus goes to the next one', async () => {
  const { calls } = await openList();
  const row = await findRow('Tents');
  fireEvent.click(row.getByRole('button', { name: 'Delete “Tents”' }));
  fireEvent.click(await row.findByRole('button', { name: 'Delete for good?' }));
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1));
  expect(paths(calls, 'DELETE')).toEqual(['/conversations/one']);
  expect(document.activeElement?.textContent).toContain('Conversation');
});

test('a delete that fails leaves the row, says so, and can be tried again, and what is mended is no longer said', async () => {
  let failures = 1;
  const { calls } = await openList(({ method }) => {
    if (method !== 'DELETE') return undefined;
    failures -= 1;
    return failures < 0 ? undefined : new WidgetError('internal');
  });
  const row = await findRow('Tents');
  fireEvent.click(row.getByRole('button', { name: 'Delete “Tents”' }));
  fireEvent.click(await row.findByRole('button', { name: 'Delete for good?' }));
  await row.findByText('This conversation was not deleted. Something went wrong.');
  await waitFor(() =>
    expect(screen.getByRole('status').textContent).toContain('This conversation was not deleted.'),
  );
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
  fireEvent.click(row.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1));
  expect(paths(calls, 'DELETE')).toHaveLength(2);
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Conversation deleted.'));
});

test('a conversation that is gone already counts as deleted', async () => {
  await openList(({ method }) => (method === 'DELETE' ? new WidgetError('not-found') : undefined));
  const row = await findRow('Tents');
  fireEvent.click(row.getByRole('button', { name: 'Delete “Tents”' }));
  fireEvent.click(await row.findByRole('button', { name: 'Delete for good?' }));
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1));
});

test('a list that fails says so in its own place, and the greeting stays in the conversation', async () => {
  let failures = 1;
  await openList(({ path }) => {
    if (path !== '/conversations') return undefined;
    failures -= 1;
    return failures < 0 ? undefined : new WidgetError('offline');
  });
  const said = 'Your conversations could not be loaded. The chat cannot be reached right now.';
  await screen.findByText(said, { selector: 'p' });
  fireEvent.click(screen.getByRole('button', { name: 'Back to the conversation' }));
  await screen.findByText('Hello.');
  expect(screen.queryByText(said, { selector: 'p' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Conversations' }));
  await findRow('Tents');
});

test('a list that is asked for too often counts the wait down before it can be tried again', async () => {
  await openList(({ path }) =>
    path === '/conversations' ? new WidgetError('rate-limited', 3_000) : undefined,
  );
  const retry = await screen.findByRole('button', { name: 'Try again in 00:03' });
  expect(retry.hasAttribute('disabled')).toBe(true);
});

test('a conversation that is slow to come says that it is loading', async () => {
  await openList(({ path }) => (path === '/conversations/one' ? new Promise(() => {}) : undefined));
  fireEvent.click(await screen.findByRole('button', { name: /^Tents/ }));
  await screen.findByText('Loading');
});

test('a conversation that was deleted elsewhere is said to be gone, and the chat is a new one', async () => {
  const { conversation } = await openList(({ path }) =>
    path === '/conversations/one' ? new WidgetError('not-found') : undefined,
  );
  fireEvent.click(await screen.findByRole('button', { name: /^Tents/ }));
  await screen.findByText(/This conversation is no longer there\./, { selector: '[part="error"] p' });
  expect(screen.queryByRole('button', { name: 'Try again' })).toBe(null);
  expect(conversation.id.value).toBe(undefined);
});

test('a question sent while a conversation is still on its way stays, and so does its answer', async () => {
  let give = (_: object) => {};
  const slow = new Promise<object>((resolve) => {
    give = resolve;
  });
  const stream = createTurnStream();
  const { conversation } = await openList(({ method, path }) => {
    if (method === 'PUT') return stream.response;
    return path === '/conversations/one' ? slow : undefined;
  });
  fireEvent.click(await screen.findByRole('button', { name: /^Tents/ }));
  await screen.findByText('Loading');
  conversation.send('And packs?');
  const turnId = conversation.entries.value.at(-1)!.turnId;
  stream.say({ kind: 'turn-started', data: { turnId, conversationId: 'one', at } });
  stream.say({ kind: 'text-delta', data: { text: 'Of ten' } });
  await screen.findByText(/Of ten/);
  give({ id: 'one', title: '', mode: 'ask', messages: [message] });
  await screen.findByText('About tents.');
  screen.getByText('And packs?');
  const whole = { id: 'a', turnId, role: 'agent', text: 'Of ten kinds.', status: 'completed', at } as const;
  stream.say({ kind: 'turn-completed', data: { message: whole } });
  stream.end();
  await screen.findByText('Of ten kinds.');
});

test('more is asked for once, however often it is clicked', async () => {
  const { calls, give } = await openFirstPage();
  const more = await screen.findByRole('button', { name: 'Show more' });
  fireEvent.click(more);
  fireEvent.click(more);
  give({ conversations: [{ id: 'three', title: 'Stoves', updatedAt: at }] });
  await findRow('Stoves');
  expect(screen.getAllByRole('listitem')).toHaveLength(3);
  expect(paths(calls, 'GET').filter((path) => path.includes('cursor'))).toHaveLength(1);
});

test('a list that is slow brings nothing back that was deleted meanwhile: it is read again', async () => {
  let isSlow = false;
  let give: (reply: object) => void = () => {};
  let left = rows;
  const { calls } = await openList(({ method, path }) => {
    if (method === 'DELETE') left = rows.slice(1);
    if (method !== 'GET' || path !== '/conversations') return undefined;
    if (!isSlow) return { conversations: left };
    isSlow = false;
    return new Promise((resolve) => {
      give = resolve;
    });
  });
  await findRow('Tents');
  fireEvent.click(screen.getByRole('button', { name: 'Back to the conversation' }));
  isSlow = true;
  fireEvent.click(await screen.findByRole('button', { name: 'Conversations' }));
  const row = await findRow('Tents');
  fireEvent.click(row.getByRole('button', { name: 'Delete “Tents”' }));
  fireEvent.click(await row.findByRole('button', { name: 'Delete for good?' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: /^Tents/ })).toBeNull());
  give({ conversations: rows });
  await waitFor(() =>
    expect(paths(calls, 'GET').filter((path) => path === '/conversations')).toHaveLength(3),
  );
  await findRow('Conversation');
  expect(screen.queryByRole('button', { name: /^Tents/ })).toBeNull();
});

test('a row that is deleted while more is on its way leaves what was shown, and more comes behind it', async () => {
  const { calls, give } = await openFirstPage();
  fireEvent.click(await screen.findByRole('button', { name: 'Show more' }));
  const row = await findRow('Tents');
  fireEvent.click(row.getByRole('button', { name: 'Delete “Tents”' }));
  fireEvent.click(await row.findByRole('button', { name: 'Delete for good?' }));
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1));
  give({ conversations: [{ id: 'three', title: 'Stoves', updatedAt: at }] });
  await findRow('Stoves');
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
  expect(paths(calls, 'GET').filter((path) => path.startsWith('/conversations?'))).toHaveLength(1);
});

test.each([null, {}, []])(
  'a list that something else answered by %j is one that did not come',
  async (reply) => {
    await openList(({ path }) =>
      path === '/conversations' ? new Response(JSON.stringify(reply)) : undefined,
    );
    await screen.findByText(/^Your conversations could not be loaded\./);
  },
);

test('more that comes after all was erased brings nothing back, and nothing is sought any more', async () => {
  const reply: { more?: (rows: object) => void } = {};
  let isErased = false;
  await openList(({ method, path }) => {
    if (method === 'DELETE') isErased = true;
    if (path === '/conversations')
      return isErased ? { conversations: [] } : { conversations: rows, next: 'c' };
    if (!path.includes('cursor')) return undefined;
    // The erasing reads all rows, too.
    if (reply.more) return { conversations: [] };
    return new Promise((resolve) => {
      reply.more = resolve;
    });
  });
  // What is sought may be further back.
  fireEvent.input(await screen.findByRole('searchbox'), { target: { value: 'Stoves' } });
  await waitFor(() => expect(reply.more).toBeDefined());
  const details = screen.getByText('Your data').closest('details')!;
  details.open = true;
  fireEvent(details, new Event('toggle'));
  fireEvent.click(await screen.findByRole('button', { name: 'Erase everything' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Erase all conversations for good?' }));
  await screen.findByText('No conversations yet.');
  reply.more?.({ conversations: [{ id: 'three', title: 'Stoves', updatedAt: at }] });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(screen.queryByText('Stoves')).toBeNull();
  expect(screen.queryByText('No conversation of that name.')).toBeNull();
});

test('a conversation is renamed in its row, and Escape leaves it as it was', async () => {
  const { calls } = await openList(({ method }) =>
    method === 'PATCH' ? new Response(null, { status: 204 }) : undefined,
  );
  const row = await findRow('Tents');
  fireEvent.click(row.getByRole('button', { name: 'Rename “Tents”' }));
  const field = await row.findByRole<HTMLInputElement>('textbox', { name: 'Title' });
  await waitFor(() => expect(document.activeElement).toBe(field));
  expect(field.value).toBe('Tents');
  // What is typed takes its place.
  expect([field.selectionStart, field.selectionEnd]).toEqual([0, 5]);
  // Who looks elsewhere with a half-typed title goes on with it.
  field.value = 'Ten';
  field.setSelectionRange(3, 3);
  fireEvent.focus(field);
  expect([field.selectionStart, field.selectionEnd]).toEqual([3, 3]);
  fireEvent.keyDown(field, { key: 'Escape' });
  const pencil = await row.findByRole('button', { name: 'Rename “Tents”' });
  await waitFor(() => expect(document.activeElement).toBe(pencil));
  fireEvent.click(pencil);
  const again = await row.findByRole<HTMLInputElement>('textbox', { name: 'Title' });
  again.value = ' Warm tents ';
  fireEvent.click(row.getByRole('button', { name: 'Save' }));
  await findRow('Warm tents');
  const renames = calls.filter(({ method }) => method === 'PATCH');
  expect(renames.map(({ path, body }) => [path, body])).toEqual([
    ['/conversations/one', { title: 'Warm tents' }],
  ]);
});

test('a rename that fails keeps what was written, says so, and can be tried again', async () => {
  let isDown = true;
  await openList(({ method }) => {
    if (method !== 'PATCH') return undefined;
    if (isDown) throw new WidgetError('agent-unavailable');
    return new Response(null, { status: 204 });
  });
  const row = await findRow('Tents');
  fireEvent.click(row.getByRole('button', { name: 'Rename “Tents”' }));
  const field = await row.findByRole<HTMLInputElement>('textbox', { name: 'Title' });
  field.value = 'Warm tents';
  fireEvent.click(row.getByRole('button', { name: 'Save' }));
  await row.findByText(/was not renamed/);
  expect(field.value).toBe('Warm tents');
  isDown = false;
  fireEvent.click(row.getByRole('button', { name: 'Try again' }));
  await findRow('Warm tents');
});

/** What changes something waits until `give` is called. */
async function openSlowly() {
  let give = (_: object) => {};
  const slow = new Promise<object>((resolve) => {
    give = resolve;
  });
  const chat = await openList(({ method }) => (method === 'PATCH' || method === 'DELETE' ? slow : undefined));
  return { ...chat, give, row: await findRow('Tents') };
}
const done = () => new Response(null, { status: 204 });
const settle = () => new Promise((resolve) => setTimeout(resolve, 50));

test('a rename that was given up and fails then is told, and nothing is offered that would delete', async () => {
  const { row, give, calls } = await openSlowly();
  fireEvent.click(row.getByRole('button', { name: 'Rename “Tents”' }));
  const field = await row.findByRole<HTMLInputElement>('textbox', { name: 'Title' });
  field.value = 'Warm tents';
  fireEvent.submit(field.form!);
  fireEvent.keyDown(field, { key: 'Escape' });
  give(new WidgetError('agent-unavailable'));
  await screen.findByText(/was not renamed/, { selector: 'p' });
  expect(screen.queryByText(/was not deleted/)).toBeNull();
  expect(row.queryByRole('button', { name: 'Try again' })).toBeNull();
  expect(paths(calls, 'DELETE')).toEqual([]);
});

test('a title that is written while another one is on its way stays in its field', async () => {
  const { row, give } = await openSlowly();
  fireEvent.click(row.getByRole('button', { name: 'Rename “Tents”' }));
  const field = await row.findByRole<HTMLInputElement>('textbox', { name: 'Title' });
  field.value = 'Warm tents';
  fireEvent.submit(field.form!);
  field.value = 'Warm tents for two';
  give(done());
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Renamed.'));
  await settle();
  expect(row.getByRole<HTMLInputElement>('textbox', { name: 'Title' }).value).toBe('Warm tents for two');
});

test('what is being deleted cannot be kept any more, by click or Escape', async () => {
  const { row, give } = await openSlowly();
  fireEvent.click(row.getByRole('button', { name: 'Delete “Tents”' }));
  fireEvent.click(await row.findByRole('button', { name: 'Delete for good?' }));
  const keep = row.getByRole('button', { name: 'Keep' });
  await waitFor(() => expect(keep.getAttribute('aria-disabled')).toBe('true'));
  fireEvent.click(keep);
  fireEvent.keyDown(keep, { key: 'Escape' });
  await settle();
  expect(row.getByRole('button', { name: 'Delete for good?' }).getAttribute('aria-disabled')).toBe('true');
  give(new WidgetError('internal'));
  await row.findByText(/was not deleted/);
  fireEvent.click(row.getByRole('button', { name: 'Keep' }));
  await row.findByRole('button', { name: 'Delete “Tents”' });
});

test('what is sought while the list is read anew is found on its later pages', async () => {
  let again = Promise.resolve();
  await openList(({ path, method }) => {
    if (method !== 'GET' || !path.startsWith('/conversations')) return undefined;
    if (path !== '/conversations')
      return { conversations: [{ id: 'far', title: 'Unicorns', updatedAt: at }] };
    return again.then(() => ({ conversations: rows, next: 'later' }));
  });
  await findRow('Tents');
  let give = () => {};
  again = new Promise((resolve) => {
    give = resolve;
  });
  fireEvent.click(screen.getByRole('button', { name: 'Back to the conversation' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Conversations' }));
  const search = await screen.findByRole('searchbox', { name: 'Search conversations' });
  fireEvent.input(search, { target: { value: 'unicorns' } });
  await settle();
  give();
  await findRow('Unicorns');
});

test('a long list can be searched, without regard to case and accents, further back too', async () => {
  const many = Array.from({ length: 20 }, (_, index) => ({
    id: `c${index}`,
    title: `Chat ${index}`,
    updatedAt: at,
  }));
  await openList(({ path, method }) => {
    if (method !== 'GET' || !path.startsWith('/conversations')) return undefined;
    if (path === '/conversations') return { conversations: many, next: 'later' };
    return { conversations: [{ id: 'far', title: 'Où est ma Tente ?', updatedAt: at }] };
  });
  const search = await screen.findByRole('searchbox', { name: 'Search conversations' });
  fireEvent.input(search, { target: { value: 'ou est ma tente' } });
  await findRow('Où est ma Tente');
  expect(screen.queryByRole('button', { name: /^Chat 1/ })).toBeNull();
  fireEvent.input(search, { target: { value: 'nothing such' } });
  await screen.findAllByText('No conversation of that name.');
  fireEvent.input(search, { target: { value: '' } });
  await findRow('Chat 7');
});

/** A list too long for a glance, of which one is called Unicorns; `slow` keeps what changes something waiting. */
async function openLongList(slow?: Promise<object>) {
  const many = Array.from({ length: 9 }, (_, index) => ({
    id: `c${index}`,
    title: index === 4 ? 'Unicorns' : `Chat ${index}`,
    updatedAt: at,
  }));
  const chat = await openList(({ path, method }) => {
    if (method === 'GET' && path === '/conversations') return { conversations: many };
    if (method === 'PATCH' || method === 'DELETE') return slow ?? new Response(null, { status: 204 });
    return undefined;
  });
  return { ...chat, search: await screen.findByRole('searchbox', { name: 'Search conversations' }) };
}

test('what is sought can be changed after the last one that was found is deleted', async () => {
  const { search } = await openLongList();
  fireEvent.input(search, { target: { value: 'unicorns' } });
  const row = await findRow('Unicorns');
  fireEvent.click(row.getByRole('button', { name: 'Delete “Unicorns”' }));
  fireEvent.click(await row.findByRole('button', { name: 'Delete for good?' }));
  await screen.findAllByText('No conversation of that name.');
  fireEvent.keyDown(search, { key: 'Escape' });
  await findRow('Chat 3');
  expect(screen.getAllByRole('listitem')).toHaveLength(8);
});

test('one renamed to what is not sought stays in sight, with the focus', async () => {
  const { search } = await openLongList();
  fireEvent.input(search, { target: { value: 'unicorns' } });
  const row = await findRow('Unicorns');
  fireEvent.click(row.getByRole('button', { name: 'Rename “Unicorns”' }));
  const field = await row.findByRole<HTMLInputElement>('textbox', { name: 'Title' });
  field.value = 'Horses';
  fireEvent.click(row.getByRole('button', { name: 'Save' }));
  const renamed = await findRow('Horses');
  const pencil = renamed.getByRole('button', { name: 'Rename “Horses”' });
  await waitFor(() => expect(document.activeElement).toBe(pencil));
});

test.each(['rename', 'delete'])('a slow %s leaves the focus where the visitor is by then', async (what) => {
  let give = (_: object) => {};
  const slow = new Promise<object>((resolve) => {
    give = resolve;
  });
  const { calls } = await openLongList(slow);
  const row = await findRow('Unicorns');
  if (what === 'delete') {
    fireEvent.click(row.getByRole('button', { name: 'Delete “Unicorns”' }));
    fireEvent.click(await row.findByRole('button', { name: 'Delete for good?' }));
  } else {
    fireEvent.click(row.getByRole('button', { name: 'Rename “Unicorns”' }));
    const field = await row.findByRole<HTMLInputElement>('textbox', { name: 'Title' });
    field.value = 'Horses';
    // Twice, as one does where nothing seems to happen.
    fireEvent.submit(field.form!);
    fireEvent.submit(field.form!);
  }
  const elsewhere = document.createElement('input');
  document.body.append(elsewhere);
  elsewhere.focus();
  give(new Response(null, { status: 204 }));
  await waitFor(() => expect(screen.queryByRole('button', { name: /^Unicorns/ })).toBeNull());
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(document.activeElement).toBe(elsewhere);
  elsewhere.remove();
  expect(calls.filter(({ method }) => method === 'PATCH' || method === 'DELETE')).toHaveLength(1);
});

test.each([
  ['rename', 'This conversation was not renamed.'],
  ['delete', 'This conversation was not deleted.'],
])('a %s that fails after the list was left says so', async (what, sentence) => {
  let give = (_: object) => {};
  const slow = new Promise<object>((resolve) => {
    give = resolve;
  });
  await openLongList(slow);
  const row = await findRow('Unicorns');
  if (what === 'delete') {
    fireEvent.click(row.getByRole('button', { name: 'Delete “Unicorns”' }));
    fireEvent.click(await row.findByRole('button', { name: 'Delete for good?' }));
  } else {
    fireEvent.click(row.getByRole('button', { name: 'Rename “Unicorns”' }));
    const field = await row.findByRole<HTMLInputElement>('textbox', { name: 'Title' });
    field.value = 'Horses';
    fireEvent.click(row.getByRole('button', { name: 'Save' }));
  }
  fireEvent.click(screen.getByRole('button', { name: 'Back to the conversation' }));
  give(new WidgetError('agent-unavailable'));
  await screen.findByText(sentence, { selector: 'p' });
  await waitFor(() => expect(screen.getByRole('status').textContent).toContain(sentence));
});

test('a list that was asked for as a guest is asked for anew by the customer whom the guest has become', async () => {
  let give = (_: object) => {};
  let reads = 0;
  const { begin } = await openList(({ path }) => {
    if (path !== '/conversations') return undefined;
    reads += 1;
    if (reads > 1) return undefined;
    return new Promise((resolve) => {
      give = resolve;
    });
  });
  await waitFor(() => expect(reads).toBe(1));
  begin('email:ada');
  give({ conversations: [] });
  await findRow('Tents');
  expect(screen.queryByText('No conversations yet.')).toBe(null);
});

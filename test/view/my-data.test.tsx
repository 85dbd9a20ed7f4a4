// @vitest-environment happy-dom
/** "Your data" in the list: what is saved, and what is erased. */
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, expect, test, vi } from 'vitest';
import type { VisitorExport } from '../../server-helper/protocol/wire.ts';
import { WidgetError } from '../../widget/errors.ts';
import { toMarkdown } from '../../widget/state/exported.ts';
import type { Call } from '../../widget/transport/http.ts';
import { type Reply, renderChat } from '../support/renderchat.tsx';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const at = '2026-01-02T12:00:00Z';
const exported: VisitorExport = {
  visitor: { kind: 'anonymous', member: false },
  conversations: [
    {
      id: 'one',
      title: 'Tents',
      createdAt: at,
      updatedAt: at,
      messages: [
        { id: 't', turnId: 't', role: 'visitor', text: 'Which tent?', status: 'completed', at },
        {
          id: 't.agent',
          turnId: 't',
          role: 'agent',
          text: 'The **Lark**. [1]',
          status: 'completed',
          sources: [{ number: 1, id: 's', title: 'Tents', url: 'https://shop.test/tents', type: 'website' }],
          at,
        },
      ],
    },
    { id: 'two', title: '', createdAt: at, updatedAt: at, messages: [] },
  ],
};

async function openData(respond: (call: Call) => Reply | undefined = () => undefined) {
  const chat = await renderChat((call) => {
    const given = respond(call);
    if (given) return given;
    if (call.method === 'DELETE') return new Response(null, { status: 204 });
    if (call.path === '/visitor') return exported;
    return { conversations: [{ id: 'one', title: 'Tents', updatedAt: at }] };
  });
  fireEvent.click(screen.getByRole('button', { name: 'Conversations' }));
  const details = (await screen.findByText('Your data')).closest('details')!;
  details.open = true;
  fireEvent(details, new Event('toggle'));
  await screen.findByRole('button', { name: 'Save as text' });
  return chat;
}

/** What the page was made to save. */
function watchSaved() {
  const saved: { name: string; blob: Blob }[] = [];
  let blob: Blob;
  vi.spyOn(URL, 'createObjectURL').mockImplementation((given) => {
    blob = given as Blob;
    return 'blob:saved';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ name: this.download, blob });
  });
  return saved;
}

test('all conversations are saved as text that can be read, and as the JSON that the helper gave', async () => {
  const saved = watchSaved();
  await openData();
  fireEvent.click(screen.getByRole('button', { name: 'Save as text' }));
  await waitFor(() => expect(saved).toHaveLength(1));
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Saved.'));
  fireEvent.click(screen.getByRole('button', { name: 'Save as JSON' }));
  await waitFor(() => expect(saved).toHaveLength(2));
  expect(saved.map(({ name }) => name)).toEqual(['conversations.md', 'conversations.json']);
  const text = await saved[0]!.blob.text();
  expect(text).toMatch(/^# Tents\n\n/);
  expect(text).toMatch(/\*\*You\*\*, .*\n\nWhich tent\?/);
  expect(text).toMatch(
    /\*\*Vesper\*\*, .*\n\nThe \*\*Lark\*\*\. \[1\]\n\n\[1\] Tents <https:\/\/shop\.test\/tents>/,
  );
  expect(JSON.parse(await saved[1]!.blob.text())).toEqual(exported);
});

test('a conversation without a title is named, and conversations are told apart', () => {
  const who = { visitor: 'You', agent: 'Wren', untitled: 'Conversation' };
  expect(toMarkdown(exported, who, 'en')).toMatch(/\n\n---\n\n# Conversation\n\n/);
});

test('what cannot be saved is said, and a click tries again', async () => {
  const saved = watchSaved();
  let isDown = true;
  await openData(({ path }) =>
    isDown && path === '/visitor' ? new WidgetError('agent-unavailable') : undefined,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Save as JSON' }));
  await screen.findByText(/Your conversations could not be saved/, { selector: 'p' });
  expect(saved).toEqual([]);
  isDown = false;
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(saved).toHaveLength(1));
});

test('all is erased after one more question, with the focus on Keep', async () => {
  const { calls, conversation } = await openData();
  await conversation.load('one');
  fireEvent.click(screen.getByRole('button', { name: 'Erase everything' }));
  const keep = await screen.findByRole('button', { name: 'Keep' });
  await waitFor(() => expect(document.activeElement).toBe(keep));
  fireEvent.click(keep);
  const erase = await screen.findByRole('button', { name: 'Erase everything' });
  await waitFor(() => expect(document.activeElement).toBe(erase));
  expect(calls.some(({ method }) => method === 'DELETE')).toBe(false);
  fireEvent.click(erase);
  const sure = await screen.findByRole('button', { name: 'Erase all conversations for good?' });
  sure.focus();
  fireEvent.click(sure);
  await screen.findByText('No conversations yet.');
  expect(calls.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toEqual(['/visitor']);
  expect(conversation.id.value).toBeUndefined();
  expect(document.activeElement?.className).toContain('history');
  await waitFor(() =>
    expect(screen.getByRole('status').textContent).toBe('All your conversations were erased.'),
  );
});

test('Escape gives up to erase, and leaves the chat open', async () => {
  const { panel } = await openData();
  fireEvent.click(screen.getByRole('button', { name: 'Erase everything' }));
  fireEvent.keyDown(await screen.findByRole('button', { name: 'Keep' }), { key: 'Escape' });
  const erase = await screen.findByRole('button', { name: 'Erase everything' });
  expect(panel.isOpen.value).toBe(true);
  // Where nothing is asked it is the chat's.
  fireEvent.keyDown(erase, { key: 'Escape' });
  expect(panel.isOpen.value).toBe(false);
});

test('what is being erased cannot be kept any more', async () => {
  let give = () => {};
  const slow = new Promise<Response>((resolve) => {
    give = () => resolve(new Response(null, { status: 204 }));
  });
  await openData(({ method }) => (method === 'DELETE' ? slow : undefined));
  fireEvent.click(screen.getByRole('button', { name: 'Erase everything' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Erase all conversations for good?' }));
  const keep = screen.getByRole('button', { name: 'Keep' });
  await waitFor(() => expect(keep.getAttribute('aria-disabled')).toBe('true'));
  fireEvent.click(keep);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(screen.queryByRole('button', { name: 'Erase everything' })).toBeNull();
  give();
  await screen.findByText('No conversations yet.');
});

test('what cannot be erased is said, and stays', async () => {
  await openData(({ method }) => (method === 'DELETE' ? new WidgetError('internal') : undefined));
  fireEvent.click(screen.getByRole('button', { name: 'Erase everything' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Erase all conversations for good?' }));
  await screen.findByText(/Your conversations were not erased/, { selector: 'p' });
  expect(screen.getAllByRole('listitem')).toHaveLength(1);
});

test.each(['Save as text', 'Save as JSON'])(
  '%s saves nothing once another visitor is there',
  async (name) => {
    const saved = watchSaved();
    let give = (_: object) => {};
    const slow = new Promise<object>((resolve) => {
      give = resolve;
    });
    const { panel } = await openData(({ path }) => (path === '/visitor' ? slow : undefined));
    fireEvent.click(screen.getByRole('button', { name }));
    panel.reset();
    give(exported);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(saved).toEqual([]);
  },
);

test('an erase that is answered late leaves the next visitor’s conversation alone', async () => {
  let give = (_: object) => {};
  const slow = new Promise<object>((resolve) => {
    give = resolve;
  });
  const { panel, conversation, begin } = await openData(({ method }) =>
    method === 'DELETE' ? slow : undefined,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Erase everything' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Erase all conversations for good?' }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  panel.reset();
  begin();
  await conversation.load('two');
  give(new Response(null, { status: 204 }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(conversation.id.value).toBe('two');
});

test('what is on its way when all is erased is asked no more, and is a draft again', async () => {
  const asked: AbortSignal[] = [];
  const { conversation, panel } = await openData(({ method, signal }) => {
    if (method !== 'PUT') return undefined;
    asked.push(signal!);
    return new Promise(() => {});
  });
  conversation.startNew();
  conversation.send('My secret?');
  await waitFor(() => expect(asked).toHaveLength(1));
  fireEvent.click(screen.getByRole('button', { name: 'Erase everything' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Erase all conversations for good?' }));
  await screen.findByText('No conversations yet.');
  expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
  panel.show('conversation');
  await waitFor(() => expect(screen.getByRole<HTMLTextAreaElement>('textbox').value).toBe('My secret?'));
});

test('every tab hears of the conversations that were erased, those of later pages too', async () => {
  const told: unknown[] = [];
  const { tabs } = await openData(({ method, path }) => {
    if (method !== 'GET') return undefined;
    if (path === '/conversations?cursor=later')
      return { conversations: [{ id: 'two', title: '', updatedAt: at }] };
    if (path === '/conversations')
      return { conversations: [{ id: 'one', title: '', updatedAt: at }], next: 'later' };
    return undefined;
  });
  tabs.tell = (news) => void told.push(news);
  fireEvent.click(screen.getByRole('button', { name: 'Erase everything' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Erase all conversations for good?' }));
  await screen.findByText('No conversations yet.');
  expect(told).toEqual(['one', 'two'].map((conversationId) => ({ kind: 'deleted', conversationId })));
});

test('a list that cannot be read keeps nobody from erasing', async () => {
  let reads = 0;
  const { calls } = await openData(({ method, path }) => {
    if (method !== 'GET' || path !== '/conversations') return undefined;
    reads += 1;
    return reads > 1 ? new WidgetError('rate-limited', 60_000) : undefined;
  });
  fireEvent.click(screen.getByRole('button', { name: 'Erase everything' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Erase all conversations for good?' }));
  await screen.findByText('No conversations yet.');
  expect(calls.some(({ method, path }) => method === 'DELETE' && path === '/visitor')).toBe(true);
});

test('an erase that a guest has begun ends when the guest signs in, and its question is asked anew', async () => {
  let give = (_: object) => {};
  let reads = 0;
  const { calls, begin } = await openData(({ method, path }) => {
    if (method !== 'GET' || path !== '/conversations') return undefined;
    reads += 1;
    // The list is read as it is opened, and again for the erase.
    if (reads === 2)
      return new Promise((resolve) => {
        give = resolve;
      });
    return { conversations: ['one', 'two'].slice(0, reads).map((id) => ({ id, title: id, updatedAt: at })) };
  });
  fireEvent.click(screen.getByRole('button', { name: 'Erase everything' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Erase all conversations for good?' }));
  await waitFor(() => expect(reads).toBe(2));
  begin('email:ada');
  give({ conversations: [{ id: 'one', title: 'one', updatedAt: at }] });
  // Hers are listed, and nothing of the guest's wish is left.
  await screen.findByText('two');
  await screen.findByRole('button', { name: 'Erase everything' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(calls.filter(({ method }) => method === 'DELETE')).toEqual([]);
});

test.each(['Save as text', 'Erase everything'])(
  '%s: what fails after the list was left is said above the composer',
  async (name) => {
    let fail = (_: object) => {};
    const { panel } = await openData(({ method, path }) =>
      path === '/visitor' && (method === 'DELETE' || name !== 'Erase everything')
        ? new Promise((_, reject) => {
            fail = reject;
          })
        : undefined,
    );
    fireEvent.click(screen.getByRole('button', { name }));
    if (name === 'Erase everything')
      fireEvent.click(await screen.findByRole('button', { name: 'Erase all conversations for good?' }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    panel.show('conversation');
    await screen.findByRole('textbox');
    fail(new WidgetError('internal'));
    await screen.findByText(/Your conversations (were not erased|could not be saved)/, { selector: 'p' });
  },
);

test('an erase that fails leaves what was asked meanwhile where it is', async () => {
  let fail = (_: object) => {};
  const { panel, conversation } = await openData(({ method }) => {
    if (method === 'PUT') return new Promise(() => {});
    return method === 'DELETE'
      ? new Promise((_, reject) => {
          fail = reject;
        })
      : undefined;
  });
  await conversation.load('one');
  fireEvent.click(screen.getByRole('button', { name: 'Erase everything' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Erase all conversations for good?' }));
  await waitFor(() => expect(conversation.id.value).toBeUndefined());
  panel.show('conversation');
  conversation.send('Meanwhile?');
  const begun = conversation.id.value;
  fail(new WidgetError('internal'));
  await screen.findByText(/Your conversations were not erased/, { selector: 'p' });
  expect(conversation.id.value).toBe(begun);
  expect(begun).not.toBe('one');
});

test('of what was asked while all was erased the helper says whether it is still there', async () => {
  let give = (_: object) => {};
  const { panel, conversation, calls } = await openData(({ method }) => {
    if (method === 'PUT') return new Promise(() => {});
    return method === 'DELETE'
      ? new Promise((resolve) => {
          give = resolve;
        })
      : undefined;
  });
  fireEvent.click(screen.getByRole('button', { name: 'Erase everything' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Erase all conversations for good?' }));
  await waitFor(() => expect(calls.some(({ method }) => method === 'DELETE')).toBe(true));
  panel.show('conversation');
  conversation.send('Meanwhile?');
  const begun = conversation.id.value;
  give(new Response(null, { status: 204 }));
  await waitFor(() => expect(calls.map(({ path }) => path)).toContain(`/conversations/${begun}`));
});

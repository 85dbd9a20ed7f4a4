// @vitest-environment happy-dom
/** The cards on which a visitor decides, by role and name. */
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/preact';
import { afterEach, expect, test, vi } from 'vitest';
import type { TurnEventData } from '../../server-helper/protocol/wire.ts';
import { WidgetError } from '../../widget/errors.ts';
import { createDeciding } from '../../widget/state/deciding.ts';
import { createTurnStream, renderChat } from '../support/renderchat.tsx';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const tool = {
  name: 'order_status',
  title: 'Order status',
  description: 'Looks an order up',
  parameters: { orderNumber: 'LF-1' },
};
const later = '2099-01-01T12:00:00Z';

async function pause(
  paused: Partial<TurnEventData['turn-paused']>,
  decided: () => object = () => new Response(null, { status: 202 }),
) {
  const streams = [createTurnStream(), createTurnStream()];
  let follows = 0;
  const chat = await renderChat(({ method, path }) => {
    if (path.endsWith('/decision')) return decided();
    if (method === 'DELETE') return new Response(null, { status: 204 });
    return streams[follows++]!.response;
  });
  chat.conversation.send('Where is my order?');
  const [turn, rest] = streams as [(typeof streams)[0], (typeof streams)[0]];
  turn!.say({ kind: 'turn-paused', data: { kind: 'approval', tool, expiresAt: later, ...paused } });
  turn!.end();
  const decisions = () => chat.calls.filter(({ path }) => path.endsWith('/decision')).map(({ body }) => body);
  return { ...chat, rest: rest!, decisions };
}
const completed = (text: string) =>
  ({
    kind: 'turn-completed',
    data: { message: { id: 'a', turnId: 't', role: 'agent', text, status: 'completed', at: later } },
  }) as const;

test('an approval shows what is to be done with which values, and until when it is open', async () => {
  await pause({});
  const card = await screen.findByRole('region', { name: 'May the agent do this?' });
  expect(card.textContent).toContain('Order status: Looks an order up');
  expect(within(card).getByText('order number').nextSibling?.textContent).toBe('LF-1');
  expect(within(card).getByText(/^Waits for you until .*2099.*\d:\d\d/)).toBeTruthy();
  await waitFor(() =>
    expect(screen.getByRole('status').textContent).toBe('The agent waits for your decision.'),
  );
});

test.each([
  ['approval', 'Allow', 'approve'],
  ['approval', 'Do not allow', 'deny'],
  ['plan', 'Accept', 'approve'],
  ['plan', 'Decline', 'deny'],
] as const)(
  'on the card of a %s a click on “%s” says %s, once, and the answer goes on',
  async (kind, name, decision) => {
    const { decisions, rest } = await pause({ kind });
    const button = await screen.findByRole('button', { name });
    fireEvent.click(button);
    fireEvent.click(button);
    await waitFor(() => expect(decisions()).toEqual([{ decision, expiresAt: later }]));
    rest.say(completed('It is on its way.'));
    await screen.findByText('It is on its way.');
    expect(screen.queryByRole('region', { name: /agent|plan/ })).toBeNull();
  },
);

test('the card of a plan shows its steps as a list, and nothing that was written for the model', async () => {
  const steps = ['Read all notes', 'Write one'];
  const plan = {
    ...tool,
    name: 'accept_plan',
    title: 'Accept plan',
    parameters: { title: 'Tidy up', steps },
  };
  await pause({ kind: 'plan', tool: plan });
  const card = await screen.findByRole('region', { name: 'Is this plan right?' });
  expect(
    within(card)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(steps);
  expect(card.textContent).toMatch(/^Is this plan right\?Tidy upRead all notesWrite oneWaits/);
});

test('a plan in another shape is shown whole', async () => {
  await pause({ kind: 'plan', tool: { ...tool, parameters: { steps: [{ do: 'it' }], costs: 7 } } });
  const card = await screen.findByRole('region', { name: 'Is this plan right?' });
  expect(within(card).getByText('steps').nextSibling?.textContent).toBe('[{"do":"it"}]');
  expect(within(card).getByText('costs').nextSibling?.textContent).toBe('7');
});

test('while a decision is on its way the card cannot be decided on, though the chat was closed and opened', async () => {
  let arrive = (_: Response) => {};
  const { decisions, panel, rest } = await pause(
    {},
    () =>
      new Promise<Response>((resolve) => {
        arrive = resolve;
      }),
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Allow' }));
  await waitFor(() => expect(decisions()).toHaveLength(1));
  panel.setOpen(false);
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Allow' })).toBeNull());
  panel.setOpen(true);
  for (const name of ['Allow', 'Do not allow'])
    expect((await screen.findByRole<HTMLButtonElement>('button', { name })).disabled).toBe(true);
  arrive(new Response(null, { status: 202 }));
  rest.say(completed('It is on its way.'));
  await screen.findByText('It is on its way.');
  expect(decisions()).toHaveLength(1);
});

test('a decision that does not arrive is said, and the card stays to be decided on', async () => {
  let failures = 1;
  const { decisions } = await pause({}, () => {
    failures -= 1;
    return failures < 0 ? new Response(null, { status: 202 }) : new WidgetError('unreachable');
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Allow' }));
  await screen.findAllByText(/^Your decision did not arrive\./);
  fireEvent.click(screen.getByRole('button', { name: 'Allow' }));
  await waitFor(() => expect(decisions()).toHaveLength(2));
});

test('a question with one choice is answered by one click', async () => {
  const questions = [{ question: 'Which one?', options: ['Shipping', 'Returns'] }];
  const { decisions } = await pause({ kind: 'question', questions });
  fireEvent.click(await screen.findByRole('button', { name: 'Returns' }));
  await waitFor(() =>
    expect(decisions()).toEqual([{ decision: 'answer', answers: ['Returns'], expiresAt: later }]),
  );
});

test('several questions are answered together, each by a choice or in own words', async () => {
  const questions = [
    { question: 'Which one?', options: ['Shipping', 'Returns'] },
    { question: 'Since when?', options: [] },
  ];
  const { decisions, rest } = await pause({ kind: 'question', questions });
  const form = await screen.findByRole('form', { name: 'The agent asks' });
  const send = within(form).getByRole('button', { name: 'Send answer' });
  fireEvent.click(within(form).getByRole('button', { name: 'Shipping' }));
  expect(send.hasAttribute('disabled')).toBe(true);
  const own = within(screen.getByRole('group', { name: 'Since when?' })).getByRole('textbox');
  fireEvent.input(own, { target: { value: ' Monday ' } });
  fireEvent.submit(form);
  await waitFor(() =>
    expect(decisions()).toEqual([{ decision: 'answer', answers: ['Shipping', 'Monday'], expiresAt: later }]),
  );
  // What was asked and said stands over the answer.
  const said = async () => [
    (await screen.findAllByRole('term')).map(({ textContent }) => textContent),
    screen.getAllByRole('definition').map(({ textContent }) => textContent),
  ];
  const both = [
    ['Which one?', 'Since when?'],
    ['Shipping', 'Monday'],
  ];
  expect(await said()).toEqual(both);
  rest.say(completed('It is on its way.'));
  await screen.findByText('It is on its way.');
  expect(await said()).toEqual(both);
});

test('what is typed on a card that a clock ahead takes for over stays, when the helper says that it is still open', async () => {
  const questions = [{ question: 'Since when?', options: [] }];
  const { conversation, rest } = await pause({ kind: 'question', questions });
  fireEvent.input(await screen.findByRole('textbox', { name: 'Something else' }), {
    target: { value: 'Since Mon' },
  });
  const { turnId } = conversation.entries.value[0]!;
  void createDeciding(conversation.deciding).expire(turnId);
  rest.say({ kind: 'turn-started', data: { turnId, conversationId: 'c', at: later } });
  await waitFor(() => expect(screen.queryByRole('form', { name: 'The agent asks' })).toBeNull());
  rest.say({ kind: 'turn-paused', data: { kind: 'question', tool, questions, expiresAt: later } });
  const again = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Something else' });
  expect(again.value).toBe('Since Mon');
});

test('a question that nobody wants to answer can be stopped', async () => {
  const { calls, rest } = await pause({
    kind: 'question',
    questions: [{ question: 'Which?', options: ['A'] }],
  });
  // Until then Stop takes back a question that the helper may not have.
  const form = await screen.findByRole('form', { name: 'The agent asks' });
  fireEvent.click(within(form).getByRole('button', { name: 'Stop the answer' }));
  await waitFor(() => expect(calls.some(({ method }) => method === 'DELETE')).toBe(true));
  rest.say({
    kind: 'turn-stopped',
    data: { message: { id: 'a', turnId: 't', role: 'agent', text: '', status: 'stopped', at: later } },
  });
  await screen.findByText('Stopped before an answer.', { selector: 'p' });
});

test('when the time to decide is over the helper is asked, the card goes, and the visitor reads why', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const { rest, calls } = await pause({ expiresAt: new Date(Date.now() + 60_000).toISOString() });
  await vi.waitFor(() => screen.getByRole('button', { name: 'Allow' }));
  expect(calls).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(calls).toHaveLength(2);
  rest.say({
    kind: 'turn-stopped',
    data: { message: { id: 'a', turnId: 't', role: 'agent', text: '', status: 'stopped', at: later } },
  });
  await vi.waitFor(() => screen.getByText('The time to decide is over.', { selector: 'p' }));
  expect(screen.queryByRole('button', { name: 'Allow' })).toBeNull();
  expect(screen.getByRole('status').textContent).toBe('The time to decide is over.');
});

const questions = [
  { question: 'Cancel?', options: ['Yes', 'No'] },
  { question: 'How many?', options: ['2', '20'] },
];

test('an answer that passes through an option’s words keeps them', async () => {
  const { decisions } = await pause({ kind: 'question', questions });
  const [first, second] = await screen.findAllByRole<HTMLInputElement>('textbox', { name: 'Something else' });
  for (const value of ['N', 'No', 'No,', 'No, wait']) {
    fireEvent.input(first!, { target: { value } });
    expect(first!.value).toBe(value);
  }
  fireEvent.input(second!, { target: { value: '20' } });
  expect(second!.value).toBe('20');
  expect(screen.getByRole('button', { name: '20' }).ariaPressed).not.toBe('true');
  fireEvent.click(screen.getByRole('button', { name: 'Send answer' }));
  await waitFor(() =>
    expect(decisions()).toEqual([{ decision: 'answer', answers: ['No, wait', '20'], expiresAt: later }]),
  );
});

test('what is half filled in is still there after the chat was closed', async () => {
  const { panel } = await pause({ kind: 'question', questions });
  const [field] = await screen.findAllByRole<HTMLInputElement>('textbox', { name: 'Something else' });
  fireEvent.input(field!, { target: { value: 'Only the hat' } });
  panel.setOpen(false);
  await waitFor(() => expect(screen.queryByRole('form')).toBeNull());
  panel.setOpen(true);
  const [again] = await screen.findAllByRole<HTMLInputElement>('textbox', { name: 'Something else' });
  expect(again!.value).toBe('Only the hat');
});

test('a click that was meant for what stood there before decides nothing', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { decisions } = await pause({});
  const allow = await screen.findByRole('button', { name: 'Allow' });
  fireEvent.click(allow, { detail: 1 });
  vi.advanceTimersByTime(401);
  fireEvent.click(allow, { detail: 2 });
  expect(decisions()).toEqual([]);
  fireEvent.click(allow, { detail: 1 });
  await waitFor(() => expect(decisions()).toEqual([{ decision: 'approve', expiresAt: later }]));
});

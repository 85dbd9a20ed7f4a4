/** A turn that waits for the visitor: the approval card and the question card of the demo. */
import { expect, test } from 'vitest';
import { findChat } from '../support/browser.ts';
import { startDemo } from '../support/demo.ts';
import { useStage, useVisitor } from '../support/stage.ts';

const stage = useStage(startDemo);
const scene = useVisitor(stage, ({ url }) => `${url}/`);

async function askForTheOrder() {
  await scene.chat.ask('What is the status of order LF-10234? ada@larkfield.example');
  return scene.chat.waitForAnswer('paused');
}

test('an approval card says what is to be done with which values, and approving completes the answer', async () => {
  const resumedBefore = stage.server.events('chat.resumed').length;
  const paused = await askForTheOrder();
  const card = paused.getByRole('region', { name: 'May the agent do this?' });
  const words = await card.textContent();
  expect(words).toContain('Order status');
  expect(words).toContain('LF-10234');
  expect(stage.server.events('chat.resumed')).toHaveLength(resumedBefore);
  await scene.chat.button('Allow').press('Enter');
  const answer = await scene.chat.waitForAnswer('completed');
  expect(await scene.chat.readBody(answer)).toContain('LF-10234 is shipped.');
  expect(await card.count()).toBe(0);
  expect(await scene.chat.answers.count()).toBe(1);
});

test('denying ends the turn without the tool being run', async () => {
  await askForTheOrder();
  await scene.chat.button('Do not allow').press('Enter');
  const answer = await scene.chat.waitForAnswer('completed');
  expect(await scene.chat.readBody(answer)).toBe('All right, I did not do that.');
});

test('a card that waits is there again after a reload, and in a second tab, and is decided once', async () => {
  await askForTheOrder();
  await scene.page.reload();
  const second = await scene.context.newPage();
  const other = findChat(second);
  await second.goto(`${stage.server.url}/about.html`);
  await scene.chat.waitForAnswer('paused');
  await other.waitForAnswer('paused');
  const resumedBefore = stage.server.events('chat.resumed').length;
  await scene.chat.button('Allow').press('Enter');
  const answers = [await scene.chat.waitForAnswer('completed'), await other.waitForAnswer('completed')];
  for (const answer of answers) expect(await scene.chat.readBody(answer)).toContain('is shipped.');
  expect(stage.server.events('chat.resumed')).toHaveLength(resumedBefore + 1);
});

test('a question of the agent is answered by choosing one of its options', async () => {
  await scene.chat.ask('How long does it take?');
  const paused = await scene.chat.waitForAnswer('paused');
  const card = paused.getByRole('form', { name: 'The agent asks' });
  await card.getByText('Which of these do you mean?').waitFor();
  await card.getByRole('button', { name: 'Shipping', exact: true }).press('Enter');
  const answer = await scene.chat.waitForAnswer('completed');
  expect(await scene.chat.readBody(answer)).toContain('business days');
  expect(await card.count()).toBe(0);
});

test.each(['Enter', 'Send'])(
  'a question of the agent is answered by what is typed where everything is typed, by %s',
  async (by) => {
    await scene.chat.ask('How long does it take?');
    const paused = await scene.chat.waitForAnswer('paused');
    const card = paused.getByRole('form', { name: 'The agent asks' });
    await card.getByText('Which of these do you mean?').waitFor();
    // What comes at once was not meant for it.
    await scene.page.waitForTimeout(500);
    // More than an answer may hold is refused as ever, and stays.
    await scene.chat.composer.fill('x'.repeat(2_001));
    await scene.chat.composer.press('Enter');
    await scene.chat.inside('.hint').getByText('Decide, or stop it.').waitFor();
    expect(await scene.chat.composer.inputValue()).toHaveLength(2_001);
    await scene.chat.composer.fill('Shipping');
    if (by === 'Enter') await scene.chat.composer.press('Enter');
    else await scene.chat.send.dblclick();
    const answer = await scene.chat.waitForAnswer('completed');
    expect(await scene.chat.readBody(answer)).toContain('business days');
    expect(await scene.chat.composer.inputValue()).toBe('');
    expect(await scene.chat.composer.evaluate((field) => field.matches(':focus'))).toBe(by === 'Enter');
    expect(await scene.chat.readQuestions()).toEqual(['How long does it take?']);
    // The next is a question again.
    await scene.chat.ask('Where are you?');
    await expect.poll(() => scene.chat.readQuestions()).toHaveLength(2);
  },
);

test('a click on Stop, or Enter, as a question comes is no answer to it', async () => {
  const { page, chat } = scene;
  await page.evaluate(() => {
    const { root } = { root: document.querySelector('porchlight-chat')!.shadowRoot! };
    // The very moment at which the card is there.
    new MutationObserver((_, watch) => {
      if (!root.querySelector('form.decision')) return;
      watch.disconnect();
      root.querySelector<HTMLElement>('[part~="send"]')?.click();
    }).observe(root, { subtree: true, childList: true });
  });
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(`${request.method()} ${request.url()}`));
  await chat.ask('How long does it take?');
  await chat.composer.fill('My next question');
  await chat.waitForAnswer('paused');
  await chat.answers.getByRole('form', { name: 'The agent asks' }).waitFor();
  await chat.composer.press('Enter');
  expect(asked.filter((line) => line.endsWith('/decision'))).toEqual([]);
  expect(await chat.composer.inputValue()).toBe('My next question');
});

test('what is typed as an answer stays the draft that it was until it has arrived', async () => {
  const { page, chat } = scene;
  await chat.ask('How long does it take?');
  const card = chat.answers.getByRole('form', { name: 'The agent asks' });
  await card.waitFor();
  await page.waitForTimeout(500);
  await page.route('**/decision', (route) => route.abort());
  await chat.ask('Shipping');
  await chat.panel.getByText('Your decision did not arrive').first().waitFor();
  expect(await chat.composer.inputValue()).toBe('Shipping');
  await page.unroute('**/decision');
  await page.reload();
  await card.waitFor();
  await expect.poll(() => chat.composer.inputValue()).toBe('Shipping');
  await page.waitForTimeout(500);
  await chat.composer.press('Enter');
  const answer = await chat.waitForAnswer('completed');
  expect(await chat.readBody(answer)).toContain('business days');
  expect(await chat.composer.inputValue()).toBe('');
});

test('an order is shown to the customer whose it is, or who knows its number and e-mail address', async () => {
  const { chat, page } = scene;
  await chat.ask('where is my order?');
  const first = await chat.waitForAnswer('completed');
  expect(await chat.readBody(first)).toContain('order number and the e-mail address of the order');
  await chat.ask('LF-10234 and ben@larkfield.example');
  await chat.waitForAnswer('paused');
  await chat.button('Allow').press('Enter');
  const refused = await chat.waitForAnswer('completed');
  expect(await chat.readBody(refused)).toContain('no order has this number and this e-mail address');

  const signIn = (email: string) =>
    page.evaluate(
      (as) =>
        fetch('/api/sign-in', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: as }),
        }),
      email,
    );
  await signIn('ada@larkfield.example');
  await page.reload();
  await chat.show();
  for (const [number, words] of [
    ['LF-10234', 'LF-10234 is shipped.'],
    ['LF-10247', 'no order of yours has this number'],
  ]) {
    await chat.ask(`What is the status of order ${number}?`);
    await chat.waitForAnswer('paused');
    await chat.button('Allow').press('Enter');
    await expect.poll(async () => (await chat.readAnswers()).at(-1)).toContain(words);
  }
  // Another's is not shown to a customer who knows the address of it either.
  await chat.ask('What is the status of order LF-10247? ben@larkfield.example');
  await chat.waitForAnswer('paused');
  await chat.button('Allow').press('Enter');
  await expect
    .poll(async () => (await chat.readAnswers()).at(-1))
    .toContain('no order of yours has this number');
});

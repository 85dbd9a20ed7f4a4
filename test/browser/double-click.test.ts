/** Who clicks twice means once: the second click of a double click on the chat's buttons presses nothing, of the chat or of the page. */
import { expect, test } from 'vitest';
import { startFakeHelper, toPage } from '../support/fakehelper.ts';
import { useStage, useVisitor } from '../support/stage.ts';

const stage = useStage(() =>
  startFakeHelper({
    answer: () => ({ pieces: ['An answer.'] }),
    pages: (path, url) => {
      if (path !== '/') return undefined;
      const button = '<button style="position:fixed;inset:0" onclick="pressed += 1">Buy</button>';
      return {
        html: toPage(url).replace('</main>', `${button}<script>pressed = 0</script></main>`),
      };
    },
  }),
);
const scene = useVisitor(stage, ({ here }) => `${here}/`);
const readPressed = () => scene.page.evaluate('pressed');

test('on Close: the page behind it is not pressed, and by one click it is', async () => {
  const { page, chat } = scene;
  await chat.show();
  const close = chat.button('Close chat');
  const { x, y } = (await close.boundingBox())!;
  await close.dblclick({ delay: 20 });
  await chat.panel.waitFor({ state: 'detached' });
  expect(await readPressed()).toBe(0);
  await page.mouse.click(x + 5, y + 5);
  expect(await readPressed()).toBe(1);
  await page.mouse.dblclick(x + 5, y + 5);
  expect(await readPressed()).toBe(3);
});

test('on a card that is put away: the page behind it is not pressed', async () => {
  const { page, chat } = scene;
  await page.keyboard.press('Escape');
  await page.evaluate(`Porchlight.addMessage('Need help?')`);
  await chat.inside('.away').dblclick({ delay: 20 });
  await expect.poll(() => chat.inside('[part~="card"]').count()).toBe(0);
  expect(await readPressed()).toBe(0);
});

test('on what toggles: it stays as one click left it', async () => {
  const { page, chat } = scene;
  await chat.show();
  const larger = chat.button('Larger window');
  await larger.dblclick({ delay: 20 });
  expect(await larger.getAttribute('aria-pressed')).toBe('true');
  await chat.button('Conversations').dblclick({ delay: 20 });
  await chat.button('Back to the conversation').click();
  await chat.ask('Why?');
  await chat.waitForAnswer('completed');
  const vote = chat.button('This answer helped');
  const votes: string[] = [];
  await page.route('**/vote', (route) => {
    votes.push(route.request().postDataJSON().vote);
    return route.fulfill({ status: 204 });
  });
  await vote.dblclick({ delay: 20 });
  await expect.poll(() => vote.getAttribute('aria-pressed')).toBe('true');
  await vote.click();
  await expect.poll(() => votes).toEqual(['up', 'none']);
  await chat.button('Conversations').click();
  const rename = chat.button(/^Rename/).first();
  await rename.dblclick({ delay: 20 });
  await chat.inside('.history input').waitFor();
});

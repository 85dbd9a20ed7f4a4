/** The table of states, row by row in a real browser: the sentence, the way out, the voice, and the console's line. */
import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ProblemCode, TurnEventKind } from '../../server-helper/protocol/wire.ts';
import { type State, states } from '../../widget/states.ts';
import { findChat, goOffline } from '../support/browser.ts';
import { english } from '../support/english.ts';
import { startFakeHelper, toPage, toSignedIn } from '../support/fakehelper.ts';
import { type Scene, useStage } from '../support/stage.ts';

const stage = useStage(() =>
  startFakeHelper({
    pageSize: 20,
    answer: () => ({ pieces: ['An answer.'] }),
    pages: (path, url) =>
      path === '/'
        ? { html: toPage(url, 'normal', 'data-user-token="a.b.c"') }
        : path === '/by-call'
          ? { html: toPage(url) }
          : undefined,
  }),
);

const turns = '**/conversations/*/turns/*';
const message = { id: 't', turnId: 't', role: 'agent', at: '2026-01-01T00:00:00Z' } as const;
const pause = {
  kind: 'approval',
  tool: { name: 'order_status', title: 'Order status', description: 'Looks an order up', parameters: {} },
};

type Event = [kind: TurnEventKind, data: object];
const started: Event = ['turn-started', { turnId: 't', conversationId: 'c', at: message.at }];
const cors = { 'access-control-allow-origin': '*' };

function toStream(events: Event[]) {
  const body = [started, ...events].map(
    ([kind, data], id) => `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`,
  );
  return { status: 200, contentType: 'text/event-stream', headers: cors, body: body.join('') };
}

function toProblem(status: number, code: ProblemCode) {
  const body = JSON.stringify({ status, code });
  return { status, contentType: 'application/problem+json', headers: cors, body };
}

const abort = (route: Route) => route.abort('connectionrefused');
const never = () => {};
const fail = (route: Route) => route.fulfill(toProblem(500, 'internal'));
const only = (method: string, then: (route: Route) => unknown) => (route: Route) =>
  route.request().method() === method ? then(route) : route.fallback();

type Act = (scene: Scene) => Promise<unknown>;

/** Asks, and the turn tells this. */
const told =
  (...events: Event[]): Act =>
  async ({ page, chat }) => {
    await page.route(turns, (route) => route.fulfill(toStream(events)));
    await chat.open();
    await chat.ask('Anything?');
  };
const failed = (code: ProblemCode) => told(['turn-failed', { code, retryable: false }]);
const paused: Act = (scene) =>
  told(['turn-paused', { ...pause, expiresAt: '2099-01-01T00:00:00Z' }])(scene).then(() =>
    scene.chat.button('Allow').waitFor(),
  );
/** Asks, and the helper does this with it. */
const met =
  (then: (route: Route) => unknown): Act =>
  async ({ page, chat }) => {
    await page.route(turns, then);
    await chat.open();
    await chat.ask('Anything?');
  };
const answered: Act = async ({ chat }) => {
  await chat.open();
  await chat.ask('Anything?');
  await chat.waitForAnswer('completed');
};

/** How each state comes about. */
const scenes: Record<State, Act> = {
  'bad-request': failed('bad-request'),
  unauthenticated: failed('unauthenticated'),
  'session-expired': failed('session-expired'),
  'sso-token-invalid': met((route) => route.fulfill(toProblem(401, 'sso-token-invalid'))),
  'sso-token-expired': met((route) => route.fulfill(toProblem(401, 'sso-token-expired'))),
  'sign-in-required': async ({ page, chat }) => {
    await page.route('**/session', (route) => route.fulfill(toProblem(401, 'sign-in-required')));
    await chat.open();
  },
  'origin-refused': met((route) => route.fulfill(toProblem(403, 'origin-refused'))),
  'challenge-failed': met((route) => route.fulfill(toProblem(403, 'challenge-failed'))),
  'not-allowed': failed('not-allowed'),
  'not-found': failed('not-found'),
  'turn-running': failed('turn-running'),
  'turn-conflict': failed('turn-conflict'),
  'too-large': failed('too-large'),
  'unsupported-media-type': failed('unsupported-media-type'),
  'rate-limited': failed('rate-limited'),
  'agent-unavailable': failed('agent-unavailable'),
  'agent-timeout': failed('agent-timeout'),
  'agent-refused': failed('agent-refused'),
  'shutting-down': failed('shutting-down'),
  internal: failed('internal'),
  offline: async (scene) => {
    await answered(scene);
    await goOffline(scene.page);
    await scene.chat.ask('And now?');
    await scene.chat.answers.getByText(english['waiting-offline']).waitFor();
    await scene.chat.stop.click();
  },
  unreachable: async ({ page, chat }) => {
    await page.route('**/session', abort);
    await chat.open();
  },
  'bad-stream': met((route) => route.fulfill({ status: 200, contentType: 'text/html', headers: cors })),
  aborted: told(['turn-stopped', { message: { ...message, text: 'Half', status: 'stopped' } }]),
  loading: async ({ page, chat }) => {
    await page.route('**/session', never);
    await chat.open();
  },
  thinking: met(never),
  'still-thinking': async (scene) => {
    await scene.page.clock.install();
    await met(never)(scene);
    await scene.chat.inside('.dots').waitFor();
    // The wait begins with the frame after.
    await scene.page.clock.runFor(500);
    await scene.page.clock.fastForward(21_000);
  },
  'waiting-offline': async (scene) => {
    await answered(scene);
    await goOffline(scene.page);
    await scene.chat.ask('And now?');
  },
  'waiting-unreachable': met(abort),
  reconnecting: async ({ page, chat }) => {
    const half = toStream([['text-delta', { text: 'Half of it.' }]]);
    await page.route(turns, (route) =>
      route.request().method() === 'PUT' ? route.fulfill(half) : undefined,
    );
    await chat.open();
    await chat.ask('Anything?');
  },
  'stopped-empty': told(['turn-stopped', { message: { ...message, text: '', status: 'stopped' } }]),
  paused,
  'pause-expired': async ({ page, chat }) => {
    await page.clock.install();
    const stopped: Event = ['turn-stopped', { message: { ...message, text: '', status: 'stopped' } }];
    const soon = new Date(Date.now() + 60_000).toISOString();
    await page.route(turns, (route) =>
      route.fulfill(
        toStream(
          route.request().method() === 'PUT' ? [['turn-paused', { ...pause, expiresAt: soon }]] : [stopped],
        ),
      ),
    );
    await chat.open();
    await chat.ask('Anything?');
    await chat.panel.getByText(/^Waits for you until /).waitFor();
    // What waits for the card's end is begun once the card is drawn.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100))),
    );
    await page.clock.fastForward(61_000);
  },
  'decision-first': async (scene) => {
    await paused(scene);
    await scene.chat.ask('Something else?');
    expect(await scene.chat.composer.inputValue()).toBe('Something else?');
  },
  'answer-first': async (scene) => {
    await met(never)(scene);
    await scene.chat.stop.waitFor();
    await scene.chat.ask('Something else?');
    expect(await scene.chat.composer.inputValue()).toBe('Something else?');
  },
  'too-long': async ({ chat }) => {
    await chat.open();
    await chat.composer.fill('x'.repeat(32_007));
    expect(await chat.composer.inputValue()).toHaveLength(32_007);
  },
  'not-sent': async ({ page, chat }) => {
    await page.route('**/porchlight/session', () => {}, { times: 1 });
    await chat.open();
    await chat.ask('Anything?');
    await page.reload();
    await expect.poll(() => chat.composer.inputValue()).toBe('Anything?');
  },
  'not-copied': async (scene) => {
    await scene.page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await told([
      'turn-completed',
      { message: { ...message, text: '```\nnpm start\n```', status: 'completed' } },
    ])(scene);
    await scene.chat.button('Copy code').click();
  },
  checking: async ({ page, chat }) => {
    await chat.open();
    await chat.panel.getByText('Hello').first().waitFor();
    await page.evaluate(() => {
      const { Porchlight } = window as unknown as { Porchlight: { identify(ask: () => unknown): void } };
      Porchlight.identify(() => new Promise(() => {}));
    });
  },
  'not-kept': async (scene) => {
    await scene.page.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new Error('full');
      };
    });
    await scene.page.reload();
    await answered(scene);
  },
  'token-refused': async ({ page, chat }) => {
    await page.route('**/session', (route) =>
      route.request().postData()?.includes('ssoToken')
        ? route.fulfill(toProblem(401, 'sso-token-invalid'))
        : route.fallback(),
    );
    await chat.open();
  },
  'sign-in-ended': async (scene) => {
    const token = { value: `e30.${btoa(JSON.stringify({ email: 'ada@shop.example' }))}.e30` };
    await scene.page.exposeFunction('readToken', () => token.value);
    await scene.page.addInitScript('(window.Porchlight ||= []).push(["identify", () => readToken()])');
    await scene.page.route('**/session', (route) => {
      if (!route.request().postData()?.includes('ssoToken')) return route.fallback();
      const session = `e30.${btoa(JSON.stringify({ sub: 'email:ada@shop.example' }))}.e30`;
      return route.fulfill({ headers: cors, json: toSignedIn(session) });
    });
    await scene.page.route(turns, (route) => route.fulfill(toProblem(401, 'session-expired')));
    await scene.page.goto(`${stage.server.here}/by-call`);
    await scene.chat.open();
    token.value = '';
    await scene.chat.ask('Anything?');
  },
  'resume-failed': async (scene) => {
    await answered(scene);
    await scene.page.route('**/conversations/*', only('GET', fail));
    await scene.page.reload();
  },
  'older-failed': async (scene) => {
    await scene.chat.open();
    for (let count = 1; count <= 11; count += 1) {
      await scene.chat.ask(`Question ${count}`);
      await scene.chat.answers
        .nth(count - 1)
        .getByText('An answer.')
        .waitFor();
      await scene.chat.send.waitFor();
    }
    await scene.page.route('**/conversations/*cursor*', fail);
    await scene.page.reload();
    await scene.chat.messages.nth(19).waitFor();
    const list = scene.chat.inside('[role="log"]');
    const fromEnd = () => list.evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop);
    await expect.poll(fromEnd).toBeLessThan(2);
    await list.hover();
    await scene.page.mouse.wheel(0, -20_000);
  },
  'list-failed': async ({ page, chat }) => {
    await page.route('**/conversations', only('GET', fail));
    await chat.open();
    await chat.button('Conversations').click();
  },
  'rename-failed': async (scene) => {
    await answered(scene);
    await scene.page.route('**/conversations/*', only('PATCH', fail));
    await scene.chat.button('Conversations').click();
    await scene.chat.button('Rename “Anything?”').first().click();
    await scene.chat.panel.getByRole('textbox', { name: 'Title' }).fill('Tents');
    await scene.chat.button('Save').click();
  },
  'vote-failed': async (scene) => {
    await answered(scene);
    await scene.page.route('**/vote', only('PUT', fail));
    await scene.chat.button('This answer helped').click();
  },
  'export-failed': async (scene) => {
    await answered(scene);
    await scene.page.route('**/visitor', only('GET', fail));
    await scene.chat.button('Conversations').click();
    await scene.chat.panel.getByText('Your data').click();
    await scene.chat.button('Save as text').click();
  },
  'erase-failed': async (scene) => {
    await answered(scene);
    await scene.page.route('**/visitor', only('DELETE', fail));
    await scene.chat.button('Conversations').click();
    await scene.chat.panel.getByText('Your data').click();
    await scene.chat.button('Erase everything').click();
    await scene.chat.button('Erase all conversations for good?').click();
  },
  'delete-failed': async (scene) => {
    await answered(scene);
    await scene.page.route('**/conversations/*', only('DELETE', fail));
    await scene.chat.button('Conversations').click();
    await scene.chat.button('Delete “Anything?”').first().click();
    await scene.chat.button('Delete for good?').click();
  },
  'stop-failed': async ({ page, chat }) => {
    await page.route(turns, only('GET', never));
    await page.route(
      turns,
      only('PUT', (route) => route.fulfill(toStream([]))),
    );
    await page.route(turns, only('DELETE', fail));
    await chat.open();
    await chat.ask('Anything?');
    await chat.waitForAnswer('writing');
    await chat.stop.click();
  },
  'decision-failed': async (scene) => {
    await paused(scene);
    await scene.page.route('**/decision', fail);
    await scene.chat.button('Allow').press('Enter');
  },
  'part-failed': async ({ page, chat }) => {
    await page.route('**/history-*.js', abort);
    await chat.open();
    await chat.button('Conversations').click();
  },
};

/** States that come with another one, of which the site owner is told. */
const comesWith: Partial<Record<State, State>> = {
  'waiting-unreachable': 'unreachable',
  'token-refused': 'sso-token-invalid',
};

/** Notes whatever the live region ever says. */
function hear(): void {
  const heard: string[] = [];
  Object.assign(window, { heard });
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, options);
    new MutationObserver(() =>
      heard.push(root.querySelector('[part="announcer"]')?.textContent ?? ''),
    ).observe(root, { subtree: true, childList: true, characterData: true });
    return root;
  };
}
const readHeard = (page: Page) =>
  page.evaluate(() => (window as unknown as { heard: string[] }).heard.join('\n'));

describe('every state has a sentence, a way out, a voice, and for the site owner a line', () => {
  test.each(Object.entries(scenes))('%s', async (name, act) => {
    const state = name as State;
    const { way, silent, owner } = states[state];
    const context = await stage.browser.newContext();
    const page = await context.newPage();
    const chat = findChat(page);
    const lines: string[] = [];
    page.on('console', (line) => {
      if (line.type() === 'error' && line.text().startsWith('Porchlight:')) lines.push(line.text());
    });
    await page.addInitScript(hear);
    await page.goto(`${stage.server.here}/`);
    await act({ context, page, chat });

    const sentence = english[state].replace('{over}', '7');
    await chat.panel.getByText(sentence).first().waitFor();
    if (silent) expect(await readHeard(page)).not.toContain(sentence);
    else await expect.poll(() => readHeard(page)).toContain(sentence);

    const retry = chat.panel.getByRole('button', { name: 'Try again' });
    const ways = {
      retry: () => retry.waitFor(),
      stop: () => chat.stop.or(chat.button('Stop the answer')).first().waitFor(),
      decide: () => chat.button('Allow').waitFor(),
      edit: async () => expect(await chat.composer.isEditable()).toBe(true),
      copy: async () => expect(await page.evaluate(() => String(getSelection()))).toContain('npm start'),
      'sign-in': () => chat.panel.getByText(/sign/i).first().waitFor(),
      none: async () => {},
    };
    await ways[way]();
    if (way !== 'retry') expect(await retry.count()).toBe(0);

    const told = owner ?? states[comesWith[state] ?? state].owner;
    expect(lines).toEqual(
      told === undefined
        ? []
        : [`Porchlight: helper ${stage.server.url}, page ${stage.server.here}: ${told}`],
    );
    await context.close();
  });
});

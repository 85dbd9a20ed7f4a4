// @vitest-environment happy-dom
/** The widget's pure parts: what an event means, what is remembered, what an error says. */
import { describe, expect, test } from 'vitest';
import { problems } from '../../server-helper/protocol/wire.ts';
import { isProblemCode, isRetryable, type WidgetCode } from '../../widget/errors.ts';
import { isMisleading, toSafeLink } from '../../widget/markdown/url.ts';
import { createMemory } from '../../widget/state/memory.ts';
import { createAnswer, reduceAnswer, toAnswer } from '../../widget/state/turn.ts';
import { type State, states } from '../../widget/states.ts';
import { toBackoffMs } from '../../widget/transport/backoff.ts';
import { english } from '../support/english.ts';

function createStorage(kept: Record<string, string> = {}): Storage {
  return {
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, value: string) => {
      kept[key] = value;
    },
    removeItem: (key: string) => {
      delete kept[key];
    },
  } as Storage;
}
const message = { id: 't.agent', turnId: 't', role: 'agent', text: 'All.', at: '' } as const;

describe('an answer', () => {
  const started = { kind: 'turn-started', data: { turnId: 't', conversationId: 'c', at: '' } } as const;
  const delta = (text: string) => ({ kind: 'text-delta', data: { text } }) as const;

  test('grows by its deltas and ends as its message says', () => {
    const answer = [started, delta('Al'), delta('l.')].reduce(reduceAnswer, createAnswer('t', 'sending'));
    expect(answer).toMatchObject({ status: 'writing', text: 'All.' });
    const done = reduceAnswer(answer, {
      kind: 'turn-completed',
      data: { message: { ...message, status: 'completed' } },
    });
    expect(done).toMatchObject({ status: 'completed', text: 'All.' });
  });

  test('begins anew when a replay does', () => {
    const answer = [started, delta('old '), started, delta('new')].reduce(
      reduceAnswer,
      createAnswer('t', 'writing'),
    );
    expect(answer.text).toBe('new');
  });

  test('that failed keeps what was said', () => {
    const answer = [started, delta('Half')].reduce(reduceAnswer, createAnswer('t', 'writing'));
    const failed = reduceAnswer(answer, {
      kind: 'turn-failed',
      data: { code: 'agent-timeout', retryable: true },
    });
    expect(failed).toMatchObject({ status: 'failed', text: 'Half', code: 'agent-timeout' });
  });

  test('that failed for a reason of a newer helper has failed for one that is known here', () => {
    const code = 'made-later' as 'internal';
    const failed = reduceAnswer(createAnswer('t', 'writing'), {
      kind: 'turn-failed',
      data: { code, retryable: true },
    });
    expect(failed).toMatchObject({ status: 'failed', code: 'internal' });
    const message = {
      id: 'm',
      turnId: 't',
      role: 'agent',
      text: '',
      status: 'failed',
      at: '',
      code,
    } as const;
    expect(toAnswer(message)).toMatchObject({ status: 'failed', code: 'internal' });
  });

  test('that waited for a decision goes on without its card', () => {
    const paused = reduceAnswer(createAnswer('t', 'writing'), {
      kind: 'turn-paused',
      data: {
        kind: 'approval',
        tool: { name: 'n', title: 'N', description: '', parameters: {} },
        expiresAt: '',
      },
    });
    expect(paused.status).toBe('paused');
    expect(reduceAnswer(paused, delta('On'))).toMatchObject({ status: 'writing', pause: undefined });
  });
});

describe('memory', () => {
  test('writes nothing until something is to be kept, and removes what is empty', () => {
    const kept: Record<string, string> = {};
    const memory = createMemory('k', () => createStorage(kept));
    memory.read();
    expect(kept).toEqual({});
    memory.change({ open: true });
    expect(JSON.parse(kept.porchlight ?? '')).toEqual({ chats: { k: { open: true } } });
    memory.change({ open: undefined });
    expect(kept).toEqual({});
  });

  test('takes nothing that has the wrong shape', () => {
    const place = '{"open":"yes","session":5,"pending":{"turnId":1}}';
    const chats = ['1', 'null', '[]', '{"k":null,"l":1}', `{"k":${place}}`];
    for (const text of [
      '{',
      '1',
      'null',
      '[]',
      ...chats.map((one) => `{"who":1,"said":"","chats":${one}}`),
    ]) {
      const storage = createStorage({ porchlight: text });
      const memory = createMemory('k', () => storage);
      expect(memory.read()).toEqual({});
      memory.setIdentity('a', undefined, 'a', 1, false);
      expect(memory.read()).toEqual({ subject: 'a', who: 'a', said: 1 });
    }
  });

  test('works without a storage, and says that it keeps nothing', () => {
    const memory = createMemory('k', () => {
      throw new Error('blocked');
    });
    memory.change({ conversationId: 'c' });
    expect(memory.read().conversationId).toBe('c');
    expect(memory.keeps).toBe(false);
  });

  test('lets a guest who signs in keep the conversation', () => {
    const storage = createStorage();
    const memory = createMemory('k', () => storage);
    memory.setIdentity('anonymous:1', 'session', undefined, 1, false);
    memory.change({ conversationId: 'c' });
    memory.setIdentity('email:a@shop.example', undefined, 'email:a@shop.example', 1, false);
    expect(memory.read()).toMatchObject({ subject: 'email:a@shop.example', conversationId: 'c' });
  });

  test('lets nothing of one visitor reach another', () => {
    const storage = createStorage();
    const memory = createMemory('k', () => storage);
    memory.setIdentity('email:a@shop.example', undefined, 'email:a@shop.example', 1, false);
    memory.change({ conversationId: 'c', open: true });
    memory.setIdentity('email:b@shop.example', undefined, 'email:b@shop.example', 1, false);
    expect(memory.read()).toEqual({
      subject: 'email:b@shop.example',
      who: 'email:b@shop.example',
      said: 1,
      open: true,
    });
    memory.change({ conversationId: 'd' });
    memory.setIdentity('anonymous:2', 'session', undefined, 1, false);
    expect(memory.read().conversationId).toBeUndefined();
  });
});

describe('the table of states', () => {
  const own = ['offline', 'unreachable', 'bad-stream', 'aborted'];
  const codes = [...Object.keys(problems), ...own] as WidgetCode[];

  test('knows every code of the helper and of the widget', () => {
    expect(codes.filter((code) => !(code in states))).toEqual([]);
    expect(codes.filter((code) => code in problems && !isProblemCode(code))).toEqual([]);
  });

  test('has a sentence for each state', () => {
    for (const state of Object.keys(states) as State[]) expect(english[state].length).toBeGreaterThan(0);
  });

  test('offers a second try of all that the wire calls retryable, and of nothing that it cannot mend', () => {
    const retryable = Object.entries(problems).filter(([, { retryable }]) => retryable);
    expect(retryable.filter(([code]) => !isRetryable(code as WidgetCode))).toEqual([]);
    expect((['agent-refused', 'aborted', 'bad-request'] as WidgetCode[]).filter(isRetryable)).toEqual([]);
  });
});

describe('what all tabs share about who is there', () => {
  test('is noted only once the chat was used, and an earlier word takes nothing back', () => {
    const kept: Record<string, string> = {};
    const memory = createMemory('k', () => createStorage(kept));
    expect(memory.readKept()).toBeUndefined();
    memory.change({ open: true });
    expect(memory.readKept()).toBeUndefined();
    memory.setIdentity('a', undefined, 'a', 5, true);
    memory.change({ conversationId: 'c' });
    memory.claim(undefined, 7, true);
    expect(memory.readKept()).toEqual({ subject: undefined, who: undefined, saidAt: 7 });
    expect(JSON.parse(kept.porchlight ?? '')).toEqual({ chats: { k: { open: true } }, said: 7, tag: true });
  });

  test('leaves a guest’s place to the one who signs in next, and to nobody after', () => {
    const storage = createStorage();
    const memory = createMemory('k', () => storage);
    memory.setIdentity('guest', 'session', undefined, 1, false);
    memory.change({ conversationId: 'c' });
    memory.claim('a', 2, false);
    expect(memory.read()).toMatchObject({ session: 'session', conversationId: 'c' });
    memory.claim('b', 3, false);
    expect(memory.read()).toEqual({ who: 'b', said: 3 });
  });

  test('keeps what a guest says whose token is refused for the one whom pages name, and for nobody else', () => {
    const storage = createStorage();
    const memory = createMemory('k', () => storage);
    memory.setIdentity('guest', 'session', 'a', 1, false);
    memory.change({ conversationId: 'c' });
    memory.claim('a', 2, false);
    expect(memory.read()).toMatchObject({ who: 'a', session: 'session', conversationId: 'c' });
    memory.claim(undefined, 3, false);
    expect(memory.read()).toEqual({ said: 3 });
  });

  test('is one truth for all chats of an origin, and each chat has a place of its own', () => {
    const storage = createStorage();
    const [one, other] = [createMemory('one', () => storage), createMemory('other', () => storage)];
    one.setIdentity('a', undefined, 'a', 1, false);
    one.change({ conversationId: 'of a' });
    expect(other.readKept()).toEqual({ subject: undefined, who: 'a', saidAt: 1 });
    other.setIdentity('a', undefined, 'a', 1, false);
    expect(other.read().conversationId).toBeUndefined();
    expect(one.read().conversationId).toBe('of a');
    other.claim('b', 2, false);
    expect(one.read()).toEqual({ who: 'b', said: 2 });
  });

  test('keeps a tab that shows one visitor from writing into another’s place', () => {
    const storage = createStorage();
    const [one, other] = [createMemory('k', () => storage), createMemory('k', () => storage)];
    one.setIdentity('a', undefined, 'a', 1, false);
    other.setIdentity('b', undefined, 'b', 2, false);
    one.change({ conversationId: 'of a', open: true });
    expect(other.read()).toEqual({ subject: 'b', who: 'b', said: 2, open: true });
  });
});

describe('a link of an answer', () => {
  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '/account',
    'account.html',
    '//evil.example',
    '?x',
    '#x',
    'blob:https://a/b',
    '\u0001javascript:alert(1)',
  ])('%j is inert', (address) => {
    expect(toSafeLink(address)).toBeUndefined();
  });

  test('shows the host it leads to, in ASCII, and loses what poses as one', () => {
    expect(toSafeLink('https://bank.example@evil.test/x')).toEqual({
      href: 'https://evil.test/x',
      host: 'evil.test',
    });
    expect(toSafeLink('https://аpple.com/')?.host).toMatch(/^xn--/);
    expect(toSafeLink('mailto:hello@shop.example')?.host).toBe('hello@shop.example');
  });

  test('whose text names another host is told', () => {
    expect(isMisleading('bank.example', 'evil.test')).toBe(true);
    expect(isMisleading('see www.shop.example', 'shop.example')).toBe(false);
    expect(isMisleading('our shipping page', 'shop.example')).toBe(false);
    expect(isMisleading('pay\u202epal', 'shop.example')).toBe(true);
  });
});

test('waits grow to a bound and never fall together', () => {
  expect(toBackoffMs(0, () => 0)).toBe(250);
  expect(toBackoffMs(0, () => 1)).toBe(500);
  expect(toBackoffMs(3, () => 1)).toBe(4000);
  expect(toBackoffMs(50, () => 1)).toBe(20_000);
});

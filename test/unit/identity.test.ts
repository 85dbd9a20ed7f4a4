/** Who is there, and whose words those are: the promises over random visits in three tabs, with late replies and lost news. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { WidgetCode } from '../../widget/errors.ts';
import { type Around, createIdentity, type Happening, type Todo } from '../../widget/state/happening.ts';
import { step } from '../../widget/state/identity.ts';
import { acts, createWorld, type Event, type Site } from '../support/identity-world.ts';

const runs = 5_000;

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.stubGlobal('self', globalThis);
  vi.stubGlobal('top', globalThis);
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const event: fc.Arbitrary<Event> = fc.record({
  tab: fc.nat(2),
  nth: fc.nat(3),
  as: fc.constantFrom('Ada', 'Ben', 'Eve'),
  act: fc.constantFrom(...acts),
});

describe('in three tabs, nobody sees or asks as somebody else, and nobody loses a draft, a place or a session', () => {
  test.each<Site>(['tag', 'call', 'callback'])(
    'on a site that says who is there by %s',
    (site) => {
      const sum = { sessions: 0, questions: 0, frames: 0 };
      fc.assert(
        fc.property(fc.array(event, { minLength: 5, maxLength: 60, size: 'max' }), (events) => {
          const world = createWorld(site);
          for (const one of events) world.act(one);
          world.finish();
          for (const name of ['sessions', 'questions', 'frames'] as const) sum[name] += world.counts[name];
          expect(world.faults).toEqual([]);
        }),
        { numRuns: runs, seed: 1 },
      );
      // Else the visits prove nothing.
      expect(sum.questions).toBeGreaterThan(runs / 20);
      expect(sum.frames).toBeGreaterThan(runs / 20);
    },
    60_000,
  );
});

const frozen = '0 open, 2 sign in, 2 open, 2 reply, 0 go to, 2 freeze, 0 clear, 0 open, 2 go to';

/** As `0 sign in as Ben, 0 open`. */
function play(site: Site, visit: string) {
  const world = createWorld(site);
  for (const one of visit.split(', ')) {
    const [, tab, act, as = 'Ada'] = /^(\d) (.+?)(?: as (\w+))?$/.exec(one) ?? [];
    world.act({ tab: Number(tab), nth: 0, as, act: act as Event['act'] });
  }
  return world;
}

/** Found by random visits in which they are rare. */
test.each<[string, Site, string]>([
  ['a frozen tab is a customer’s no more once all was cleared and a guest begins', 'tag', frozen],
  ['a frozen tab is a customer’s no more once all was cleared and a guest begins', 'call', frozen],
  [
    'a tab that was frozen while it opened takes up no guest of before all was cleared',
    'call',
    '1 open, 1 reply, 0 open, 1 sign in, 0 freeze, 1 refuse, 1 refuse, 2 clear, 0 go to, 0 reply',
  ],
  [
    'what was typed while a page was waited for that says nothing is gone when the tab was left meanwhile',
    'tag',
    '1 sign in, 1 open, 2 sign out, 1 reply, 2 open, 0 sign in, 2 write, 0 clear, 0 go to',
  ],
  [
    'a question of a tab that was left while its page’s function failed is not asked as who comes then',
    'callback',
    '1 open, 1 reply, 1 reply, 1 sign in, 1 fail, 1 ask, 0 go to, 0 sign in as Eve',
  ],
  [
    'who signs in once the clock was set back is there in every tab',
    'callback',
    '0 sign in, 0 open, 0 reply, 0 reply, 0 set the clock back, 1 sign in as Ben, 1 go to, 0 hear',
  ],
])('%s, by %s', (_, site, visit) => {
  const world = play(site, visit);
  world.finish();
  expect(world.faults).toEqual([]);
});

test('a question that is asked while a page looks up who is there is asked, though the tab is left and seen again meanwhile', () => {
  const beforeAda = '0 sign in, 0 open, 0 reply, 0 reply, 0 ask';
  const ben = '1 sign in as Ben, 0 go to, 0 ask, 1 go to, 0 go to, 0 reply, 0 reply, 0 reply';
  const world = play('callback', `${beforeAda}, 1 go to, ${ben}`);
  expect(world.counts.questions).toBe(2);
  expect(world.faults).toEqual([]);
});

/** News of every tab, and every answer of the page that was waited for. */
const round: Event[] = [0, 1, 2].flatMap((tab) => [
  { tab, nth: 0, as: '', act: 'hear' },
  { tab, nth: 0, as: '', act: 'reply' },
]);

test('tabs of one visitor never set each other asking without end, however slow the first replies are', () => {
  const order = fc.array(fc.constantFrom(...round), { minLength: 60, maxLength: 120, size: 'max' });
  fc.assert(
    fc.property(order, (events) => {
      const world = createWorld('callback');
      world.act({ tab: 0, nth: 0, as: 'Ada', act: 'sign in' });
      for (let rounds = 0; rounds < 6; rounds += 1) world.wait(round);
      for (const tab of [0, 1, 2]) world.act({ tab, nth: 0, as: '', act: 'open' });
      // Nothing is kept before the first session: three tabs have nothing but each other's news.
      world.wait(events);
      const { asks, openings } = world.counts;
      expect(world.faults).toEqual([]);
      expect(asks).toBeLessThanOrEqual(9);
      expect(openings).toBeLessThanOrEqual(9);
      for (let rounds = 0; rounds < 20; rounds += 1) world.wait(round);
      const settled = { ...world.counts };
      for (let rounds = 0; rounds < 20; rounds += 1) world.wait(round);
      expect(world.counts).toEqual(settled);
    }),
    { numRuns: 1_000, seed: 1 },
  );
});

test.each<Site>(['tag', 'call', 'callback'])(
  'a visitor whose token is refused is one guest in all tabs of a site by %s, who close and ask nothing of each other',
  (site) => {
    const order = fc.array(fc.constantFrom(...round), { minLength: 60, maxLength: 120, size: 'max' });
    fc.assert(
      fc.property(order, (events) => {
        const world = createWorld(site);
        world.act({ tab: 0, nth: 0, as: 'Eve', act: 'sign in' });
        for (const act of ['reload', 'open', 'write'] as const)
          for (const tab of [0, 1, 2]) world.act({ tab, nth: 0, as: '', act });
        for (const one of [...events, ...events]) world.act(one);
        const { asks, openings } = world.counts;
        expect(world.faults).toEqual([]);
        expect(world.closed).toBe(0);
        expect(asks).toBeLessThanOrEqual(18);
        expect(openings).toBeLessThanOrEqual(18);
        for (let rounds = 0; rounds < 20; rounds += 1) for (const one of round) world.act(one);
        const { asks: asked, openings: opened } = world.counts;
        for (let rounds = 0; rounds < 20; rounds += 1) for (const one of round) world.act(one);
        expect(world.counts).toMatchObject({ asks: asked, openings: opened });
        world.finish();
        expect(world.faults).toEqual([]);
      }),
      { numRuns: 500, seed: 1 },
    );
  },
);

describe('an answer that the site looked up after the tab was left', () => {
  const around: Around = { now: 5, clock: 0, isOpen: true, isShown: true, kept: undefined };
  /** A question is typed, the tab left before the page has answered, and seen again. */
  const play = (late: string | undefined, now: string | undefined, isLeft: boolean) => {
    let state = createIdentity({ kind: 'callback' }, 1, 0);
    const done: Todo[] = [];
    const act = (happening: Happening) => {
      const [next, todo] = step(state, happening, around);
      state = next;
      done.push(...todo);
    };
    const answer = (ticket: number, subject: string | undefined) =>
      act({ what: 'answered', ticket, token: subject && `token of ${subject}`, subject });
    act({ what: 'begin' });
    const first = state.ticket;
    if (isLeft) act({ what: 'left' });
    act({ what: 'seen' });
    answer(first, late);
    answer(state.ticket, now);
    return { isDropped: done.some((one) => one.do === 'drop'), opens: done.some((one) => one.do === 'open') };
  };
  test.each([
    ['nobody, and now somebody is there', undefined, 'Ben', true, true],
    ['one, and now another is there', 'Ada', 'Ben', true, true],
    ['nobody, and nobody is there', undefined, undefined, true, false],
    ['the same', 'Ben', 'Ben', true, false],
    ['nobody, of a tab that was not left', undefined, 'Ben', false, false],
  ])('names %s', (_, late, now, isLeft, isDropped) => {
    expect(play(late, now, isLeft)).toEqual({ isDropped, opens: true });
  });
});

test.each([
  ['Ada, who was there last', 'ada', 'ada', false],
  ['another than was there last', 'ada', 'ben', true],
  ['nobody', 'ada', undefined, true],
  ['the first who signs in', undefined, 'ben', false],
] as const)(
  'what is typed before a function of the page has answered is dropped, or goes to %s, when the page names somebody outright',
  (_, last, named, isDropped) => {
    const around = {
      now: 9,
      clock: 0,
      isOpen: true,
      isShown: true,
      kept: { subject: last, who: last, saidAt: 1 },
    };
    let state = createIdentity({ kind: 'callback' }, 2, 0);
    [state] = step(state, { what: 'begin' }, around);
    expect(state.phase).toBe('asking');
    const source =
      named === undefined
        ? ({ kind: 'nobody' } as const)
        : ({ kind: 'token', token: 'a.b.c', subject: named } as const);
    const [, todos] = step(state, { what: 'said', source, at: 8 }, around);
    expect(todos.some((todo) => todo.do === 'drop')).toBe(isDropped);
  },
);

test.each([
  ['before the page was asked', 5, false],
  ['since', 10, true],
] as const)('news that somebody may have come, told %s (%s), has it asked again: %s', (_, at, isAsked) => {
  const around = {
    now: 9,
    clock: 0,
    isOpen: true,
    isShown: true,
    kept: { subject: 'ada', who: 'ada', saidAt: 1 },
  };
  let state = createIdentity({ kind: 'callback' }, 5, 0);
  [state] = step(state, { what: 'begin' }, around);
  const news = { what: 'told', who: undefined, ask: true, at } as const;
  const [next, todos] = step(state, news, { ...around, now: 11 });
  expect(todos.some((todo) => todo.do === 'ask')).toBe(isAsked);
  expect(next.veiled).toBe(isAsked);
});

test.each([
  ['again is no news', 'ben', false],
  ['next closes it', 'eve', true],
  ['has gone closes it', undefined, true],
] as const)('on a page that somebody else has come after, hearing who %s', (_, who, isDropped) => {
  const kept = { subject: 'ben', who: 'ben', saidAt: 8 };
  const around = { now: 9, clock: 0, isOpen: true, isShown: true, kept };
  let state = createIdentity({ kind: 'nobody' }, 5, 0);
  [state] = step(state, { what: 'begin' }, around);
  expect(state.phase).toBe('superseded');
  const told = { what: 'told', who, ask: false, at: who === 'ben' ? 8 : 10 } as const;
  const [next, todos] = step(state, told, { ...around, now: 11 });
  expect(todos.some((todo) => todo.do === 'drop')).toBe(isDropped);
  expect(next.phase).toBe(who === undefined ? 'rest' : 'superseded');
});

test.each([
  ['one whose token is past its time is told to reload', 'ada', 'sso-token-expired', 'sso-token-expired'],
  ['one whose token is none is told to sign in', 'ada', 'sso-token-invalid', 'sign-in-required'],
  ['a stranger is told to sign in', undefined, undefined, 'sign-in-required'],
] as const)('where guests are not admitted, %s', (_, subject, refusal, code) => {
  const around = { now: 9, clock: 0, isOpen: true, isShown: true, kept: undefined };
  const source =
    subject === undefined
      ? ({ kind: 'nobody' } as const)
      : ({ kind: 'token', token: 'a.b.c', subject } as const);
  let [state, todos] = step(createIdentity(source, 5, 0), { what: 'begin' }, around);
  const refuse = (by: WidgetCode) => {
    const refused = { what: 'refused', ticket: state.ticket, code: by, mayPass: false } as const;
    [state, todos] = step(state, refused, around);
  };
  if (refusal !== undefined) refuse(refusal);
  expect(state.phase).toBe('opening');
  refuse('sign-in-required');
  expect(todos).toEqual([{ do: 'refuse', code }]);
});

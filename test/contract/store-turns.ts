/** The store contract: which turns were begun, and what became of them. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Store, TurnRecord } from '../../server-helper/store/store.ts';
import { start, toConversation, toTurn } from '../support/records.ts';
import { createRecords, running } from './store-records.ts';

export function turnContract(getStore: () => Store): void {
  const { claim, begin, beginEnded } = createRecords(getStore);

  describe('turns', () => {
    test('a turn begins once: the same id is known, with what was stored first', async () => {
      const conversation = await claim();
      const { id } = conversation;
      const turn = await begin(conversation, { earlier: '{"replaces":"one"}' });
      const again = { ...turn, fingerprint: 'f-2', at: 7, runner: 'helper-2' };
      expect(await getStore().beginTurn(conversation, again)).toEqual({ kind: 'known', conversation, turn });
      expect(await getStore().findTurn(id, turn.id)).toEqual(turn);
      expect(await getStore().findLiveTurn(id)).toEqual(turn);
    });

    test('a turn stands behind those that began before it, though the clock was set back', async () => {
      const conversation = await claim();
      const first = await beginEnded(conversation, { at: start + 5_000 });
      const given = await getStore().beginTurn(conversation, toTurn(conversation.id, { at: start }));
      const second = given.kind === 'began' ? given.turn : undefined;
      expect(second?.at).toBe(start + 5_001);
      expect(await getStore().findTurn(conversation.id, second!.id)).toEqual(second);
      expect((await getStore().listTurns(conversation.id)).map(({ id }) => id)).toEqual([
        first.id,
        second!.id,
      ]);
    });

    test('of many turns begun at one moment one begins, and the others learn which runs', async () => {
      const conversation = await claim();
      const turns = Array.from({ length: 20 }, () => toTurn(conversation.id));
      const given = await Promise.all(turns.map((turn) => getStore().beginTurn(conversation, turn)));
      const began = given.filter(({ kind }) => kind === 'began');
      expect(began).toHaveLength(1);
      const [live] = began.map((one) => one.kind === 'began' && one.turn);
      for (const one of given)
        if (one.kind !== 'began') expect(one).toEqual({ kind: 'running', conversation, turn: live });
    });

    test.each(['completed', 'stopped', 'failed'] as const)(
      'after a %s turn the next one may begin',
      async (status) => {
        const conversation = await claim();
        const first = await begin(conversation);
        expect(await getStore().endTurn(conversation.id, first.id, { status }, running)).toBe(true);
        expect(await getStore().findLiveTurn(conversation.id)).toBeUndefined();
        await begin(conversation);
      },
    );

    test('a paused turn is live and nobody runs it: no other one begins', async () => {
      const conversation = await claim();
      const first = await begin(conversation);
      await getStore().endTurn(conversation.id, first.id, { status: 'paused', pause: '{}' }, running);
      const paused = { ...first, status: 'paused', pause: '{}', runner: undefined, leaseUntil: undefined };
      expect(await getStore().findLiveTurn(conversation.id)).toEqual(paused);
      expect(await getStore().beginTurn(conversation, toTurn(conversation.id))).toEqual({
        kind: 'running',
        conversation,
        turn: paused,
      });
    });

    test('an end is written once, by the one who runs the turn', async () => {
      const conversation = await claim();
      const { id } = conversation;
      const turn = await begin(conversation);
      const endAs = (runner: string, answer: string) =>
        getStore().endTurn(id, turn.id, { status: 'failed', answer }, { status: 'running', runner });
      expect(await endAs('helper-2', 'Not mine')).toBe(false);
      expect(await endAs('helper-1', 'Mine')).toBe(true);
      expect(await endAs('helper-1', 'Again')).toBe(false);
      expect(await getStore().endTurn(id, turn.id, { status: 'stopped' }, { status: 'paused' })).toBe(false);
      expect(await getStore().findTurn(id, turn.id)).toMatchObject({ status: 'failed', answer: 'Mine' });
      expect(await getStore().endTurn(id, randomUUID(), { status: 'failed' }, running)).toBe(false);
    });

    test('an end changes the fields that it names, undefined included, and no others', async () => {
      const conversation = await claim();
      const { id } = conversation;
      const turn = await begin(conversation);
      const change = {
        status: 'paused',
        question: 'q 🙂',
        answer: 'Half ',
        earlier: '{"said":"Half "}',
        code: 'agent-timeout',
        agentMessageId: 'm-1',
        endedAt: start + 5,
        pause: '{"a":1}',
      } as const;
      const unheld = { runner: undefined, leaseUntil: undefined };
      await getStore().endTurn(id, turn.id, change, running);
      expect(await getStore().findTurn(id, turn.id)).toEqual({ ...turn, ...change, ...unheld });
      await getStore().endTurn(id, turn.id, { status: 'stopped', answer: undefined }, { status: 'paused' });
      const expected = { ...turn, ...change, ...unheld, status: 'stopped', answer: undefined };
      expect(await getStore().findTurn(id, turn.id)).toEqual(expected);
    });

    test('a vote, a teller and what came earlier are written beside all else', async () => {
      const conversation = await claim();
      const { id } = conversation;
      const turn = await begin(conversation);
      expect(await getStore().voteTurn(id, turn.id, 'up')).toBeUndefined();
      await getStore().setTeller(id, turn.id, 'log-2');
      await getStore().setEarlier(id, turn.id, '{}');
      const expected = { ...turn, vote: 'up', teller: 'log-2', earlier: '{}' };
      expect(await getStore().findTurn(id, turn.id)).toEqual(expected);
      expect(await getStore().voteTurn(id, turn.id, undefined)).toBe('up');
      expect(await getStore().voteTurn(id, 'nobody’s', 'up')).toBeUndefined();
      expect((await getStore().findTurn(id, turn.id))?.vote).toBeUndefined();
    });

    test('the list is oldest first, of one conversation, in the order of beginning where times are equal', async () => {
      const conversation = await claim();
      const other = await claim();
      const made: TurnRecord[] = [];
      for (const at of [start, start, start + 1, start + 1, start + 2])
        made.push(await beginEnded(conversation, { at }));
      await begin(other);
      expect(await getStore().listTurns(conversation.id)).toEqual(made);
      expect(await getStore().listTurns(randomUUID())).toEqual([]);
    });

    test('the newest of a long list are read, before a time, and words that the record has are let go', async () => {
      const conversation = await claim();
      const made: TurnRecord[] = [];
      for (const at of [start, start + 1, start + 2, start + 3])
        made.push(await beginEnded(conversation, { at }));
      const { id } = conversation;
      expect(await getStore().listTurns(id, { before: start + 3, limit: 2 })).toEqual(made.slice(1, 3));
      await getStore().forgetTexts(id, [made[0]?.id ?? '', randomUUID()]);
      expect(await getStore().listTurns(id)).toEqual([{ ...made[0], question: '' }, ...made.slice(1)]);
    });

    test('the same turn id in two conversations is two turns', async () => {
      const [first, second] = [await claim(), await claim()];
      const id = randomUUID();
      await begin(first, { id });
      await begin(second, { id });
      await getStore().endTurn(first.id, id, { status: 'stopped' }, running);
      expect((await getStore().findTurn(second.id, id))?.status).toBe('running');
    });

    test('a pause is taken once, be it asked for by many at one moment, and whoever took it runs the turn', async () => {
      const conversation = await claim();
      const { id } = conversation;
      const turn = await begin(conversation);
      await getStore().endTurn(id, turn.id, { status: 'paused', pause: '{"waits":true}' }, running);
      const leases = Array.from({ length: 10 }, (_, index) => ({
        runner: `helper-${index}`,
        until: start + 9,
      }));
      expect(
        await getStore().resumeTurn(id, turn.id, leases[0]!, { pause: '{"waits":false}' }),
      ).toBeUndefined();
      const taken = await Promise.all(
        leases.map((lease) => getStore().resumeTurn(id, turn.id, lease, { pause: '{"waits":true}' })),
      );
      expect(taken.filter((pause) => pause !== undefined)).toEqual(['{"waits":true}']);
      const winner = leases[taken.findIndex((pause) => pause !== undefined)];
      expect(await getStore().findTurn(id, turn.id)).toMatchObject({
        status: 'running',
        pause: undefined,
        runner: winner?.runner,
        leaseUntil: start + 9,
      });
      const late = { runner: 'helper-1', until: start + 9 };
      expect(await getStore().resumeTurn(id, turn.id, late)).toBeUndefined();
      expect(await getStore().resumeTurn(id, randomUUID(), late)).toBeUndefined();
    });

    test('a running turn is taken over once its lease is over, by one alone', async () => {
      const { id, ...rest } = toConversation();
      const conversation = { id, ...rest };
      const held = await begin(conversation, { leaseUntil: start + 1 });
      const lease = { runner: 'helper-2', until: start + 9 };
      expect(await getStore().takeTurn(id, held.id, lease)).toBeUndefined();
      await getStore().endTurn(id, held.id, { status: 'failed' }, running);
      const lost = await begin(conversation, { leaseUntil: start });
      const leases = ['helper-2', 'helper-3'].map((runner) => ({ ...lease, runner }));
      const taken = await Promise.all(leases.map((one) => getStore().takeTurn(id, lost.id, one)));
      const won = taken.filter((turn) => turn !== undefined);
      expect(won).toHaveLength(1);
      expect(won[0]).toMatchObject({ ...lost, runner: won[0]?.runner, leaseUntil: start + 9 });
      expect(await getStore().findTurn(id, lost.id)).toEqual(won[0]);
      await getStore().endTurn(id, lost.id, { status: 'failed' }, running);
      expect(await getStore().takeTurn(id, lost.id, lease)).toBeUndefined();
    });

    test('a lease of a clock that has been set back since holds nobody off', async () => {
      const conversation = await claim();
      const turn = await begin(conversation, { leaseUntil: start + 3600_000 });
      const lease = { runner: 'helper-2', until: start + 9 };
      expect((await getStore().takeTurn(conversation.id, turn.id, lease))?.runner).toBe('helper-2');
    });

    test('to renew tells which turns a helper still holds; to release lets others take them', async () => {
      const [first, second] = [await claim(), await claim()];
      const [mine, theirs] = [
        await begin(first, { runner: 'helper-renews' }),
        await begin(second, { runner: 'helper-other' }),
      ];
      const lease = { runner: 'helper-renews', until: start + 8 };
      expect(await getStore().renewTurns(lease)).toEqual([{ conversationId: first.id, id: mine.id }]);
      expect((await getStore().findTurn(first.id, mine.id))?.leaseUntil).toBe(start + 8);
      expect(await getStore().findTurn(second.id, theirs.id)).toEqual(theirs);
      await getStore().releaseTurns('helper-renews');
      const taker = { runner: 'helper-3', until: start + 9 };
      expect(await getStore().takeTurn(second.id, theirs.id, taker)).toBeUndefined();
      expect((await getStore().takeTurn(first.id, mine.id, taker))?.runner).toBe('helper-3');
      expect(await getStore().renewTurns(lease)).toEqual([]);
    });

    test('turns are dropped from one on, up to the one that takes their place', async () => {
      const conversation = await claim();
      const { id } = conversation;
      const kept = await beginEnded(conversation, { at: start });
      const from = await beginEnded(conversation, { at: start + 1 });
      await beginEnded(conversation, { at: start + 1 });
      await beginEnded(conversation, { at: start + 2 });
      const next = await beginEnded(conversation, { at: start + 3 });
      const later = await begin(conversation, { at: start + 4 });
      await getStore().dropTurnsFrom(id, randomUUID(), next.id);
      expect(await getStore().listTurns(id)).toHaveLength(6);
      await getStore().dropTurnsFrom(id, from.id, next.id);
      expect(await getStore().listTurns(id)).toEqual([kept, next, later]);
    });
  });
}

/** The store contract: which turns were begun, and what became of them. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Store, TurnRecord } from '../../server-helper/store/store.ts';
import { createRecords, start, toTurn } from './store-records.ts';

export function turnContract(getStore: () => Store): void {
  const { claim, begin, beginEnded } = createRecords(getStore);

  describe('turns', () => {
    test('a turn begins once: the same id is known, with what was stored first', async () => {
      const { id } = await claim();
      const turn = await begin(id);
      expect(await getStore().beginTurn({ ...turn, fingerprint: 'f-2', at: 7 })).toEqual({
        kind: 'known',
        turn,
      });
      expect(await getStore().findTurn(id, turn.id)).toEqual(turn);
      expect(await getStore().findLiveTurn(id)).toEqual(turn);
    });

    test('of many turns begun at one moment one begins, and the others learn which runs', async () => {
      const { id } = await claim();
      const turns = Array.from({ length: 20 }, () => toTurn(id));
      const given = await Promise.all(turns.map((turn) => getStore().beginTurn(turn)));
      const began = given.filter(({ kind }) => kind === 'began');
      expect(began).toHaveLength(1);
      const [live] = began.map((one) => one.kind === 'began' && one.turn);
      for (const one of given) if (one.kind !== 'began') expect(one).toEqual({ kind: 'running', turn: live });
    });

    test.each(['completed', 'stopped', 'failed'] as const)(
      'after a %s turn the next one may begin',
      async (status) => {
        const { id } = await claim();
        const first = await begin(id);
        await getStore().updateTurn(id, first.id, { status });
        expect(await getStore().findLiveTurn(id)).toBeUndefined();
        await begin(id);
      },
    );

    test('a paused turn is live: no other one begins', async () => {
      const { id } = await claim();
      const first = await begin(id);
      await getStore().updateTurn(id, first.id, { status: 'paused', pause: '{}' });
      const paused = { ...first, status: 'paused', pause: '{}' };
      expect(await getStore().findLiveTurn(id)).toEqual(paused);
      expect(await getStore().beginTurn(toTurn(id))).toEqual({ kind: 'running', turn: paused });
    });

    test('no turn begins in a conversation that is not there', async () => {
      expect(await getStore().beginTurn(toTurn(randomUUID()))).toEqual({ kind: 'gone' });
    });

    test('an update changes the fields that it names, undefined included, and no others', async () => {
      const { id } = await claim();
      const turn = await begin(id);
      const change = {
        status: 'failed',
        question: 'q 🙂',
        answer: 'Half ',
        code: 'agent-timeout',
        agentMessageId: 'm-1',
        vote: 'up',
        pause: '{"a":1}',
      } as const;
      await getStore().updateTurn(id, turn.id, change);
      expect(await getStore().findTurn(id, turn.id)).toEqual({ ...turn, ...change });
      await getStore().updateTurn(id, turn.id, { vote: undefined, answer: undefined });
      const found = await getStore().findTurn(id, turn.id);
      expect([found?.vote, found?.answer, found?.pause]).toEqual([undefined, undefined, '{"a":1}']);
      await getStore().updateTurn(id, randomUUID(), { status: 'failed' });
      await getStore().updateTurn(randomUUID(), turn.id, { status: 'completed' });
      expect((await getStore().findTurn(id, turn.id))?.status).toBe('failed');
    });

    test('the list is oldest first, of one conversation, in the order of beginning where times are equal', async () => {
      const { id } = await claim();
      const other = await claim();
      const made: TurnRecord[] = [];
      for (const at of [start, start, start + 1, start + 1, start + 2])
        made.push(await beginEnded(id, { at }));
      await begin(other.id);
      expect(await getStore().listTurns(id)).toEqual(made);
      expect(await getStore().listTurns(randomUUID())).toEqual([]);
    });

    test('the same turn id in two conversations is two turns', async () => {
      const [first, second] = [await claim(), await claim()];
      const id = randomUUID();
      await begin(first.id, { id });
      await begin(second.id, { id });
      await getStore().updateTurn(first.id, id, { status: 'stopped' });
      expect((await getStore().findTurn(second.id, id))?.status).toBe('running');
    });

    test('a pause is taken once, be it asked for by many at one moment', async () => {
      const { id } = await claim();
      const turn = await begin(id);
      await getStore().updateTurn(id, turn.id, { status: 'paused', pause: '{"waits":true}' });
      const taken = await Promise.all(Array.from({ length: 10 }, () => getStore().takePause(id, turn.id)));
      expect(taken.filter((pause) => pause !== undefined)).toEqual(['{"waits":true}']);
      expect(await getStore().takePause(id, turn.id)).toBeUndefined();
      expect(await getStore().takePause(id, randomUUID())).toBeUndefined();
    });

    test('turns are dropped from one on, but for the one that takes their place', async () => {
      const { id } = await claim();
      const kept = await beginEnded(id, { at: start });
      const from = await beginEnded(id, { at: start + 1 });
      await beginEnded(id, { at: start + 1 });
      await beginEnded(id, { at: start + 2 });
      const next = await begin(id, { at: start + 3 });
      await getStore().dropTurnsFrom(id, randomUUID(), next.id);
      expect(await getStore().listTurns(id)).toHaveLength(5);
      await getStore().dropTurnsFrom(id, from.id, next.id);
      expect(await getStore().listTurns(id)).toEqual([kept, next]);
    });
  });
}

/** What is told lies in the outbox exactly when what it tells of happened. */
import { beforeEach, expect, test } from 'vitest';
import { type Db, openDatabase } from '../../../demo/agent/db.ts';
import { createSourceStore } from '../../../demo/agent/store/sources.ts';
import { createSubscriberStore } from '../../../demo/agent/store/subscribers.ts';

let db: Db;
const text = {
  title: 'Herons',
  description: null,
  type: 'text' as const,
  source: 'A heron nests in April.',
  tags: [],
  forget_after: 'never' as const,
  sync_frequency: 'never' as const,
};
const rows = (table: string) => db.prepare(`SELECT * FROM ${table}`).all();
/** As where the disk is full. */
const fail = () => {
  throw new Error('The outbox takes nothing.');
};

beforeEach(() => {
  db = openDatabase(':memory:');
  db.exec(`INSERT INTO projects (id) VALUES ('p');
    INSERT INTO bots (uuid, project_id, credits, created_at) VALUES ('b', 'p', 1, 1);
    INSERT INTO accounts (uuid, project_id, subject, email, created_at) VALUES ('ada', 'p', 's', 'ada@site.example', 1)`);
});

test('what cannot be told did not happen', () => {
  const sources = createSourceStore(
    db,
    () => 5,
    () => {},
  );
  const kept = sources.create('b', text);
  const before = rows('sources');
  const failing = createSourceStore(db, () => 5, fail);
  for (const change of [
    () => failing.create('b', text),
    () => failing.update(kept, { title: 'Owls' }),
    () => failing.delete('b', kept.uuid),
    () => failing.deleteAll('b'),
    () =>
      createSubscriberStore(db, () => 5, fail).join('b', {
        uuid: 'ada',
        email: 'ada@site.example',
        name: null,
      }),
  ])
    expect(change).toThrow('The outbox takes nothing.');
  expect(rows('sources')).toEqual(before);
  expect(rows('subscribers')).toEqual([]);
});

/** The people of an agent, one record an address: leads, who becomes a subscriber, and what an earlier schema had. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Db, migrations, openDatabase } from '../../../demo/agent/db.ts';
import { createSubscriberStore } from '../../../demo/agent/store/subscribers.ts';

let folder: string;
let db: Db | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'porchlight-people-'));
});
afterEach(() => {
  db?.close();
  rmSync(folder, { recursive: true, force: true });
});

const person = (uuid: string, email: string, name: string | null = null) => ({ uuid, email, name });
function fill(database: Db): void {
  database.exec(`
    INSERT INTO projects (id) VALUES ('p');
    INSERT INTO bots (uuid, project_id, credits, created_at) VALUES ('b', 'p', 1, 1), ('c', 'p', 1, 1);
    INSERT INTO accounts (uuid, project_id, subject, email, created_at) VALUES
      ('ada', 'p', 'external:1', 'ada@site.example', 1), ('twin', 'p', 'external:2', 'Ada@site.example', 1);
  `);
}
const page = { page: 1, perPage: 10 };

test('a lead who signs in is a subscriber under the same id, and a subscriber never a lead again', () => {
  db = openDatabase(join(folder, 'agent.db'));
  fill(db);
  const people = createSubscriberStore(
    db,
    () => 5,
    () => {},
  );
  const id = people.saveLead('b', { email: 'Ada@site.example', name: 'Ada' }, 'chat');
  const { subscriber, isNew } = people.join('b', person('ada', 'ada@site.example'));
  expect(isNew).toBe(true);
  expect(subscriber).toMatchObject({
    id,
    email: 'ada@site.example',
    name: 'Ada',
    subscribed_at: 5,
    type: 'subscriber',
    member_id: 'ada',
  });
  expect(people.saveLead('b', { email: 'ADA@SITE.EXAMPLE', name: 'Other' }, 'chat')).toBe(id);
  expect(people.join('b', person('ada', 'ada@site.example')).isNew).toBe(false);
  expect(people.list('p', 'b', page)).toMatchObject({
    subscribers: [{ id, email: 'ada@site.example' }],
    total: 1,
  });
});

test('who changes the address keeps the record; agents have people of their own', () => {
  db = openDatabase(join(folder, 'agent.db'));
  fill(db);
  const people = createSubscriberStore(
    db,
    () => 5,
    () => {},
  );
  const before = people.join('b', person('ada', 'ada@site.example')).subscriber;
  const { subscriber, isNew } = people.join('b', person('ada', 'new@site.example'));
  expect([subscriber.id, subscriber.email, isNew]).toEqual([before.id, 'new@site.example', false]);
  people.join('c', person('ada', 'new@site.example'));
  expect(people.list('p', 'b', page).total).toBe(1);
  expect(people.list('p', undefined, page).total).toBe(2);
  expect(people.list('other', undefined, page).total).toBe(0);
});

test('the subscribers of an earlier schema are there still, one an address', () => {
  const file = join(folder, 'agent.db');
  const old = new Database(file);
  old.exec(migrations.slice(0, 2).join(';'));
  old.exec('PRAGMA user_version = 2');
  fill(old);
  old.exec(
    `INSERT INTO subscribers (bot_id, account, subscribed_at) VALUES ('b', 'ada', 3), ('b', 'twin', 4)`,
  );
  old.close();
  db = openDatabase(file);
  expect(
    createSubscriberStore(
      db,
      () => 5,
      () => {},
    ).list('p', 'b', page).subscribers,
  ).toEqual([
    { id: 1, email: 'ada@site.example', name: null, subscribed_at: 3, type: 'subscriber', member_id: 'ada' },
  ]);
});

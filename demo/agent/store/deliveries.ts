/** The outbox in the database: what is told to the webhook's receiver, with how far its delivery got. */

import { randomUUID } from 'node:crypto';
import { type Db, insertRow } from '../db.ts';
import { type Page, toOffset } from '../paging.ts';

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface Delivery {
  id: number;
  /** The header `x-service-delivery`, the same at each attempt. */
  uuid: string;
  event: string;
  /** Where it goes, whatever is configured by the time it does. */
  url: string;
  /** The bytes that are signed and sent. */
  body: string;
  /** What a workflow does starts no workflow, by whichever way it comes back. */
  by_workflow: 0 | 1;
  status: DeliveryState;
  attempts: number;
  last_status: number | null;
  last_error: string | null;
  /** null: there will be none. */
  next_attempt_at: number | null;
  created_at: number;
  delivered_at: number | null;
}

/** How an attempt ended: the receiver's status, if it answered, and what was wrong, if anything was. */
export interface Attempt {
  status: number | null;
  error: string | null;
}

export function createDeliveryStore(db: Db, now: () => number) {
  const find = (projectId: string, uuid: string) =>
    db.prepare('SELECT * FROM deliveries WHERE project_id = ? AND uuid = ?').get(projectId, uuid) as
      | Delivery
      | undefined;

  return {
    find,

    /** Inside the transaction of what it tells of. */
    add(projectId: string, event: string, url: string, body: string, isWorkflows: boolean) {
      const at = now();
      const uuid = randomUUID();
      insertRow(db, 'deliveries', {
        uuid,
        project_id: projectId,
        event,
        url,
        body,
        by_workflow: Number(isWorkflows),
        next_attempt_at: at,
        created_at: at,
      });
    },

    /** The longest waiting first. @param but those that are under way */
    due(limit: number, but: readonly number[]): Delivery[] {
      return db
        .prepare(
          `SELECT * FROM deliveries WHERE next_attempt_at <= ? AND id NOT IN (SELECT value FROM json_each(?))
           ORDER BY next_attempt_at LIMIT ?`,
        )
        .all(now(), JSON.stringify(but), limit) as Delivery[];
    },

    /** When the next attempt is due, in ms since 1970. @param but those that are under way */
    nextAt(but: readonly number[]): number | undefined {
      const row = db
        .prepare(
          `SELECT min(next_attempt_at) AS at FROM deliveries
           WHERE next_attempt_at IS NOT NULL AND id NOT IN (SELECT value FROM json_each(?))`,
        )
        .get(JSON.stringify(but)) as { at: number | null };
      return row.at ?? undefined;
    },

    /** One that was renewed meanwhile is sent again. @param retryAt null: it was the last attempt */
    note({ id, next_attempt_at }: Delivery, { status, error }: Attempt, retryAt: number | null) {
      const at = now();
      const state: DeliveryState = error === null ? 'delivered' : retryAt === null ? 'failed' : 'pending';
      const deliveredAt = error === null ? at : null;
      const { changes } = db
        .prepare(
          `UPDATE deliveries SET status = ?, attempts = attempts + 1, last_status = ?, last_error = ?,
             next_attempt_at = ?, delivered_at = coalesce(?, delivered_at) WHERE id = ? AND next_attempt_at IS ?`,
        )
        .run(state, status, error, error === null ? null : retryAt, deliveredAt, id, next_attempt_at);
      if (changes === 0)
        db.prepare(
          'UPDATE deliveries SET last_status = ?, last_error = ?, delivered_at = coalesce(?, delivered_at) WHERE id = ?',
        ).run(status, error, deliveredAt, id);
    },

    /** As if it had not been tried yet. */
    renew({ id }: Delivery) {
      // Another time than that of an attempt under way.
      db.prepare(
        `UPDATE deliveries SET status = 'pending', attempts = 0,
           next_attempt_at = iif(next_attempt_at = ?1, ?1 - 1, ?1) WHERE id = ?2`,
      ).run(now(), id);
    },

    /** Newest first. @param status absent: of any */
    list(
      projectId: string,
      status: DeliveryState | undefined,
      page: Page,
    ): { deliveries: Delivery[]; total: number } {
      const from = 'FROM deliveries WHERE project_id = ? AND (? IS NULL OR status = ?)';
      const filter = [projectId, status ?? null, status ?? null];
      const { total } = db.prepare(`SELECT count(*) AS total ${from}`).get(...filter) as { total: number };
      const deliveries = db
        .prepare(`SELECT * ${from} ORDER BY id DESC LIMIT ? OFFSET ?`)
        .all(...filter, page.perPage, toOffset(page)) as Delivery[];
      return { deliveries, total };
    },

    /** Of those that are over, what is older. */
    forgetBefore(at: number) {
      // It is looked often, and a write waits for others.
      const oldest = db
        .prepare('SELECT created_at FROM deliveries WHERE next_attempt_at IS NULL ORDER BY id LIMIT 1')
        .get() as { created_at: number } | undefined;
      if (!oldest || oldest.created_at >= at) return;
      db.prepare('DELETE FROM deliveries WHERE created_at < ? AND next_attempt_at IS NULL').run(at);
    },
  };
}

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

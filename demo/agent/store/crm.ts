/** Custom fields and pipeline stages in the database. */

import { randomUUID } from 'node:crypto';
import { type Db, insertRow } from '../db.ts';

export interface FieldSettings {
  label: string;
  options: string[];
  required: boolean;
}

export interface Field extends FieldSettings {
  uuid: string;
  /** Made of its first label, and kept. */
  field_key: string;
}

export interface Stage {
  uuid: string;
  name: string;
  probability: number;
  /** 1, 2, 3 … in its pipeline. */
  sort_order: number;
}

export function createCrmStore(db: Db) {
  const find = (botId: string, uuid: string): Field | undefined => {
    const row = db
      .prepare(
        'SELECT uuid, label, field_key, options, required FROM crm_fields WHERE bot_id = ? AND uuid = ?',
      )
      .get(botId, uuid) as
      | (Omit<Field, 'options' | 'required'> & { options: string; required: 0 | 1 })
      | undefined;
    if (!row) return undefined;
    // The driver adds to a single row what is none of it.
    const { label, field_key, options, required } = row;
    return { uuid, label, field_key, options: JSON.parse(options) as string[], required: required === 1 };
  };
  const isTaken = (botId: string, key: string) =>
    db.prepare('SELECT 1 FROM crm_fields WHERE bot_id = ? AND field_key = ?').get(botId, key) !== undefined;
  const toFreeKey = (botId: string, label: string): string => {
    const key =
      label
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '_')
        .replace(/^_|_$/g, '') || 'field';
    let free = key;
    for (let count = 2; isTaken(botId, free); count += 1) free = `${key}_${count}`;
    return free;
  };

  return {
    createField(botId: string, { label, options, required }: FieldSettings): Field {
      const uuid = randomUUID();
      insertRow(db, 'crm_fields', {
        uuid,
        bot_id: botId,
        label,
        field_key: toFreeKey(botId, label),
        options: JSON.stringify(options),
        required: required ? 1 : 0,
      });
      return find(botId, uuid)!;
    },

    /** undefined where the agent has no such field. */
    updateField(botId: string, uuid: string, changes: Partial<FieldSettings>): Field | undefined {
      const before = find(botId, uuid);
      if (!before) return undefined;
      const { label, options, required } = { ...before, ...changes };
      db.prepare('UPDATE crm_fields SET label = ?, options = ?, required = ? WHERE uuid = ?').run(
        label,
        JSON.stringify(options),
        required ? 1 : 0,
        uuid,
      );
      return find(botId, uuid);
    },

    createStage(botId: string, pipelineId: string, stage: Pick<Stage, 'name' | 'probability'>): Stage {
      const { uuid, name, probability, sort_order } = db
        .prepare(
          `INSERT INTO crm_stages (uuid, bot_id, pipeline_id, name, probability, sort_order)
           SELECT ?, ?, ?, ?, ?, coalesce(max(sort_order), 0) + 1 FROM crm_stages WHERE bot_id = ? AND pipeline_id = ?
           RETURNING uuid, name, probability, sort_order`,
        )
        .get(randomUUID(), botId, pipelineId, stage.name, stage.probability, botId, pipelineId) as Stage;
      return { uuid, name, probability, sort_order };
    },
  };
}

export type CrmStore = ReturnType<typeof createCrmStore>;

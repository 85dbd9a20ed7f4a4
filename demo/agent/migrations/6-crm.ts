/** Fields of an agent's own and the stages of its pipelines. */
export const crm = `
CREATE TABLE crm_fields (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  label TEXT NOT NULL,
  field_key TEXT NOT NULL,
  options TEXT NOT NULL,
  required INTEGER NOT NULL,
  UNIQUE (bot_id, field_key)
);
CREATE TABLE crm_stages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  pipeline_id TEXT NOT NULL,
  name TEXT NOT NULL,
  probability INTEGER NOT NULL,
  sort_order INTEGER NOT NULL,
  UNIQUE (bot_id, pipeline_id, sort_order)
);
`;

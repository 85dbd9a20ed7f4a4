/** Workflows, a line for each of their runs from when it is due, and when conversations end. */
export const workflows = `
CREATE TABLE workflows (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  name TEXT NOT NULL,
  description TEXT,
  trigger_type TEXT NOT NULL CHECK (trigger_type IN ('event', 'schedule', 'webhook', 'manual')),
  trigger_event TEXT,
  trigger_config TEXT NOT NULL,
  conditions TEXT NOT NULL,
  actions TEXT NOT NULL,
  is_active INTEGER NOT NULL,
  run_count INTEGER NOT NULL DEFAULT 0,
  last_run_at INTEGER,
  anchor_at INTEGER NOT NULL,
  next_run_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX workflows_of_bot ON workflows (bot_id, id);
CREATE INDEX workflows_of_event ON workflows (bot_id, trigger_event) WHERE is_active = 1 AND trigger_event IS NOT NULL;
CREATE INDEX workflows_due ON workflows (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE TABLE workflow_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workflow INTEGER NOT NULL REFERENCES workflows(id) ON DELETE CASCADE,
  bot_id TEXT NOT NULL,
  trigger_type TEXT NOT NULL,
  trigger_event TEXT,
  payload TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'success', 'error', 'skipped')),
  actions TEXT NOT NULL DEFAULT '[]',
  error TEXT,
  duration_ms INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);
CREATE INDEX workflow_runs_pending ON workflow_runs (workflow, id) WHERE status = 'pending';
CREATE INDEX workflow_runs_running ON workflow_runs (id) WHERE status = 'running';
CREATE INDEX workflow_runs_of_workflow ON workflow_runs (workflow, id);
CREATE INDEX workflow_runs_of_bot ON workflow_runs (bot_id, created_at, trigger_type, trigger_event, status);
CREATE INDEX workflow_runs_by_age ON workflow_runs (created_at);

ALTER TABLE chats ADD COLUMN ends_at INTEGER;
ALTER TABLE chats ADD COLUMN has_ended INTEGER NOT NULL DEFAULT 0;
CREATE INDEX chats_ending ON chats (ends_at) WHERE ends_at IS NOT NULL;
CREATE TRIGGER chats_go_on AFTER INSERT ON messages BEGIN
  UPDATE chats SET ends_at = new.created_at + 1800000 WHERE id = new.chat AND ends_at IS NOT NULL;
END;
`;

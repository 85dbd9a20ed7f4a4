/** What an agent does by itself: tasks with when they run, and a line for each run. */
export const tasks = `
CREATE TABLE tasks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  bot_id TEXT NOT NULL REFERENCES bots(uuid),
  name TEXT NOT NULL,
  description TEXT,
  prompt TEXT NOT NULL,
  schedule_type TEXT NOT NULL,
  schedule_config TEXT NOT NULL,
  timezone TEXT NOT NULL,
  anchor_at INTEGER NOT NULL,
  enabled INTEGER NOT NULL,
  chat_id TEXT,
  chat_mode TEXT NOT NULL,
  active_hours_start TEXT,
  active_hours_end TEXT,
  execution_count INTEGER NOT NULL DEFAULT 0,
  max_executions INTEGER,
  error_count INTEGER NOT NULL DEFAULT 0,
  max_consecutive_errors INTEGER NOT NULL,
  paused_reason TEXT,
  last_executed_at INTEGER,
  last_status TEXT,
  last_reason TEXT,
  next_run_at INTEGER,
  running_since INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX tasks_of_bot ON tasks (bot_id, id);
CREATE INDEX tasks_due ON tasks (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE TABLE task_logs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task INTEGER NOT NULL REFERENCES tasks(id) ON DELETE CASCADE,
  bot_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('success', 'error', 'skipped')),
  reason TEXT NOT NULL,
  credits_used INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX task_logs_of_task ON task_logs (task, id);
CREATE INDEX task_logs_of_bot ON task_logs (bot_id, created_at);
CREATE INDEX task_logs_by_age ON task_logs (created_at);
`;

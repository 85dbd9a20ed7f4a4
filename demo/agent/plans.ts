/** What each plan allows, as `GET /v1/plan` shows it. Numbers of agent-api-shapes.md; `local` is for development. */

export type PlanName = 'free' | 'starter' | 'pro' | 'local';

export interface Limits {
  requests_per_minute: number;
  /** null: no limit. */
  requests_per_day: number | null;
  agents: number;
  tasks_per_agent: number;
  min_task_interval_seconds: number;
  workflows_per_agent: number;
  /** Of an agent; its default one counts. */
  dashboard_workspaces: number;
  service_workspaces: number;
  files_per_workspace: number;
  sandbox: { ram_mb: number; cpus: number; timeout_seconds: number } | null;
}

const hour = 3_600;

export const plans: Readonly<Record<PlanName, Limits>> = {
  free: {
    requests_per_minute: 20,
    requests_per_day: 1_000,
    agents: 1,
    tasks_per_agent: 0,
    min_task_interval_seconds: hour,
    workflows_per_agent: 1,
    dashboard_workspaces: 1,
    service_workspaces: 3,
    files_per_workspace: 20,
    sandbox: null,
  },
  starter: {
    requests_per_minute: 60,
    requests_per_day: 10_000,
    agents: 5,
    tasks_per_agent: 3,
    min_task_interval_seconds: hour,
    workflows_per_agent: 5,
    dashboard_workspaces: 5,
    service_workspaces: 10,
    files_per_workspace: 200,
    sandbox: { ram_mb: 512, cpus: 1, timeout_seconds: 30 },
  },
  pro: {
    requests_per_minute: 200,
    requests_per_day: 50_000,
    agents: 25,
    tasks_per_agent: 10,
    min_task_interval_seconds: hour,
    workflows_per_agent: 25,
    dashboard_workspaces: 20,
    service_workspaces: 100,
    files_per_workspace: 2_000,
    sandbox: { ram_mb: 2_048, cpus: 2, timeout_seconds: 180 },
  },
  local: {
    requests_per_minute: 6_000,
    requests_per_day: null,
    agents: 1_000,
    tasks_per_agent: 1_000,
    min_task_interval_seconds: hour,
    workflows_per_agent: 1_000,
    dashboard_workspaces: 1_000,
    service_workspaces: 100_000,
    // A ZIP holds 65,535.
    files_per_workspace: 65_000,
    sandbox: { ram_mb: 2_048, cpus: 2, timeout_seconds: 180 },
  },
};

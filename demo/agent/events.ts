/** The event log: what the service did, in order, without message text, keys or tokens. */

export interface AgentEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly event: string;
  readonly chat_id?: string;
  readonly [detail: string]: unknown;
}

export interface EventLog {
  readonly entries: readonly AgentEvent[];
  record(event: string, details?: Readonly<Record<string, unknown>>): void;
}

const maxEntries = 10_000;

export function createEventLog(now: () => number, write: (entry: AgentEvent) => void): EventLog {
  const entries: AgentEvent[] = [];
  return {
    entries,
    record(event, details = {}) {
      const entry: AgentEvent = { at: now(), event, ...details };
      entries.push(entry);
      if (entries.length > maxEntries) entries.splice(0, entries.length - maxEntries);
      write(entry);
    },
  };
}

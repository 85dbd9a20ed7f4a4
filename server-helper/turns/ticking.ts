/** What the engine does every second: time limits, leases, ends that wait for the store, heartbeats, sweeping. */
import { HelperError } from '../errors.ts';
import { type Log, toLogFields } from '../log.ts';
import { heartbeat } from '../protocol/sse.ts';
import { limits } from '../protocol/wire.ts';
import type { Ends } from './ends.ts';
import type { Leases } from './leases.ts';
import type { Logs } from './logs.ts';
import type { TurnRun } from './run.ts';
import type { LiveTurn } from './turn.ts';

const tickMs = 1_000;
const beatTicks = limits.heartbeatMs / tickMs;
const maxBlockedMs = 30_000;
/** So late a tick is the first since the process stood still. */
const stoodStillMs = 5 * tickMs;

/** @returns ends it */
export function startTicking(parts: {
  logs: Logs;
  runs: WeakMap<LiveTurn, TurnRun>;
  ends: Ends;
  leases: Leases;
  monotonicNow: () => number;
  endExpired: (turn: LiveTurn) => Promise<void>;
  log: Log;
}): () => void {
  const { logs, runs, ends, leases, monotonicNow, endExpired, log } = parts;
  const warn = (error: unknown) => log.warn(toLogFields(error), 'a pause could not be ended');
  let ticks = 0;
  let tickedAt = monotonicNow();

  const requireLife = (turn: LiveTurn) => {
    const nowMs = monotonicNow();
    const isSilent = nowMs - turn.lastLifeAt >= limits.agentSilenceMs;
    if (isSilent || nowMs - turn.startedAt >= limits.turnTimeoutMs)
      void runs.get(turn)?.fail(new HelperError('agent-timeout'));
  };
  const tick = () => {
    ticks += 1;
    const nowMs = monotonicNow();
    // What came meanwhile waits in the sockets: the next tick tells who was silent.
    const stoodStill = nowMs - tickedAt >= stoodStillMs;
    tickedAt = nowMs;
    const isBeat = ticks % beatTicks === 0;
    const running = [...logs.running()].filter((turn) => !turn.isOver);
    for (const turn of running) {
      // What another helper runs is its to limit; here only what the agent shows is heard.
      if (!stoodStill && !runs.get(turn)?.isElsewhere) requireLife(turn);
      if (!isBeat) continue;
      turn.log.cutStuck(maxBlockedMs);
      turn.log.beat(heartbeat);
    }
    void ends.flush();
    void leases.renew(running.filter((turn) => !runs.get(turn)?.isElsewhere));
    if (isBeat)
      for (const turn of logs.settled()) {
        turn.log.cutStuck(maxBlockedMs);
        if (turn.status === 'paused') endExpired(turn).catch(warn);
      }
    logs.sweep();
  };
  const timer = setInterval(tick, tickMs);
  (timer as { unref?: () => void }).unref?.();
  return () => clearInterval(timer);
}

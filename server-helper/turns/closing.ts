/** Brings a turn to its end: written down first, then told, so that no two helpers tell two ends of one turn. */
import type { Log } from '../log.ts';
import type { EndsFrom } from '../store/store.ts';
import type { Ends } from './ends.ts';
import type { RunParts } from './run.ts';
import type { LiveTurn } from './turn.ts';

/** @param letGo the turn has another end, which only its records can tell */
export function createClosing(
  ends: Ends,
  runner: string,
  letGo: (turn: LiveTurn) => void,
  log: Log,
): RunParts['close'] {
  const running: EndsFrom = { status: 'running', runner };

  return async ({ turn }, end) => {
    if (turn.isClosing || (turn.isOver && turn.status !== 'paused')) return;
    turn.isClosing = true;
    turn.log.flush();
    let { outcome, stands } = await ends.write(turn, end, turn.isOver ? { status: 'paused' } : running);
    // Stop came while a decision was being written: what it let run is stopped.
    if (outcome === 'other' && stands?.status === 'running' && stands.runner === runner)
      ({ outcome, stands } = await ends.write(turn, end, running));
    turn.isClosing = false;
    if (outcome === 'gone') turn.end(turn.toStopped());
    else if (outcome !== 'other') turn.end(end);
    else if (stands?.status === 'stopped') turn.end(turn.toStopped(stands.answer));
    else return letGo(turn);
    const ms = Math.round(turn.endedAt - turn.startedAt);
    log.info({ turnId: turn.id, status: turn.status, ms }, 'turn ended');
  };
}

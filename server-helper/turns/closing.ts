/** Brings a turn to its end: written down first, then told, so that no two helpers tell two ends of one turn. */
import { HelperError } from '../errors.ts';
import { toLogFields } from '../log.ts';
import type { EndsFrom } from '../store/store.ts';
import type { RunContext, RunParts } from './context.ts';
import type { Ends } from './ends.ts';
import type { DeleteAgain } from './losing.ts';
import type { TurnRun } from './run.ts';
import type { TurnEnd } from './telling.ts';
import type { LiveTurn } from './turn.ts';

const untimed = { firstWordMs: undefined, ms: undefined };

/** @param letGo the turn has another end, which only its records can tell */
export function createClosing(
  ends: Ends,
  runner: string,
  letGo: (turn: LiveTurn) => void,
  deleteAgain: DeleteAgain,
  { log, metrics, tracing }: Pick<RunContext, 'log' | 'metrics' | 'tracing'>,
): RunParts['close'] {
  const running: EndsFrom = { status: 'running', runner };

  const close: RunParts['close'] = async (run, end) => {
    const { turn } = run;
    if (turn.isClosing || (turn.isOver && turn.status !== 'paused')) return;
    turn.isClosing = true;
    try {
      await write(run, end);
    } catch (error) {
      turn.isClosing = false;
      log.error({ ...toLogFields(error), turnId: turn.id }, 'a turn could not be ended as it should');
      // One that cannot even fail has nothing left to say.
      if (end.status !== 'failed') await close(run, turn.toFailed(new HelperError('internal')));
    }
  };
  const write = async (run: TurnRun, end: TurnEnd): Promise<void> => {
    const { turn, conversation } = run;
    turn.log.flush();
    const isTimed = turn.isOriginal && !turn.isTold && !turn.isOver;
    // Stop came while a decision was being written: what it let run is stopped, be that written now or later.
    const from = turn.isOver ? [{ status: 'paused' } as const, running] : [running];
    const { outcome, stands } = await ends.write(turn, end, from);
    turn.isClosing = false;
    if (outcome === 'gone') {
      turn.end(turn.toStopped());
      void deleteAgain(conversation);
    } else if (outcome !== 'other') turn.end(end);
    else if (stands?.status === 'stopped') {
      // Stopped by another helper, which heard none of it.
      await ends
        .addText(turn, stands)
        .catch((error: unknown) =>
          log.warn({ ...toLogFields(error), turnId: turn.id }, 'what was said was not kept'),
        );
      turn.end(turn.toStoppedElsewhere(stands.answer));
    } else return letGo(turn);
    const { status, code, saidAt, startedAt } = turn;
    const ms = Math.round(turn.endedAt - startedAt);
    log.info({ turnId: turn.id, status, ms }, 'turn ended');
    if (status === 'running') return;
    if (status !== 'paused') run.forgetQuestion();
    const firstWordMs = saidAt && saidAt - startedAt;
    tracing.turnEnded(turn, { status, ...(code && { code }), ...(firstWordMs && { firstWordMs }) });
    metrics.turnEnded({ status, code, ...(isTimed ? { firstWordMs, ms } : untimed) });
  };
  return close;
}

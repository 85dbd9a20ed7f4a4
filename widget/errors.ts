/** The widget's one error class, and which of its codes go away by trying again. */
import type { ProblemCode } from '../server-helper/protocol/wire.ts';
import { states } from './states.ts';

/** The helper's codes and the widget's own. `unreachable`: the browser is online, and no helper answers. */
export type WidgetCode = ProblemCode | 'offline' | 'unreachable' | 'bad-stream' | 'aborted';

export class WidgetError extends Error {
  override name = 'WidgetError';
  constructor(
    readonly code: WidgetCode,
    readonly retryAfterMs?: number,
    readonly status?: number,
  ) {
    super(code);
  }
}

export function toWidgetError(error: unknown): WidgetError {
  return error instanceof WidgetError ? error : new WidgetError('internal');
}

/** Whether the same may be tried again. */
export function isRetryable(code: WidgetCode): boolean {
  return states[code].way === 'retry';
}

export function isProblemCode(value: unknown): value is ProblemCode {
  return typeof value === 'string' && Object.hasOwn(states, value);
}

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
  if (error instanceof WidgetError) return error;
  // A reply that did not come to its end.
  return new WidgetError((error as Error)?.name === 'AbortError' ? 'unreachable' : 'internal');
}

/** The browser alone knows whether it is the visitor who is offline. */
export function toReach<C extends WidgetCode | undefined>(code: C): C | 'unreachable' {
  return code === 'offline' && navigator.onLine ? 'unreachable' : code;
}

/** Whether the same may be tried again. */
export function isRetryable(code: WidgetCode): boolean {
  return states[code].way === 'retry';
}

export function isProblemCode(value: unknown): value is ProblemCode {
  return typeof value === 'string' && Object.hasOwn(states, value);
}

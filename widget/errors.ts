/** The widget's one error class, and which of its codes go away by trying again. */
import { type ProblemCode, problems } from '../server-helper/protocol/wire.ts';

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

/** Whether the same question may be sent again by a click. */
export function isRetryable(code: WidgetCode): boolean {
  if (code === 'offline' || code === 'unreachable' || code === 'bad-stream') return true;
  return code !== 'aborted' && problems[code].retryable;
}

export function isProblemCode(value: unknown): value is ProblemCode {
  return typeof value === 'string' && Object.hasOwn(problems, value);
}

/** The widget's one error class, and the total table from its codes to what the visitor reads. */
import { type ProblemCode, problems } from '../server-helper/protocol/wire.ts';
import type { StringKey } from './strings/en.ts';

/** The helper's codes and the widget's own. */
export type WidgetCode = ProblemCode | 'offline' | 'bad-stream' | 'aborted';

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

export const sentences: Readonly<Record<WidgetCode, StringKey>> = {
  'bad-request': 'badRequest',
  unauthenticated: 'sessionLost',
  'session-expired': 'sessionLost',
  'sso-token-invalid': 'notSignedIn',
  'sso-token-expired': 'signInOver',
  'sign-in-required': 'signInFirst',
  'origin-refused': 'originRefused',
  'not-allowed': 'notAllowed',
  'not-found': 'notFound',
  'turn-running': 'turnRunning',
  'turn-conflict': 'turnConflict',
  'too-large': 'tooLarge',
  'unsupported-media-type': 'badRequest',
  'rate-limited': 'rateLimited',
  'agent-unavailable': 'agentUnavailable',
  'agent-timeout': 'agentTimeout',
  'agent-refused': 'agentRefused',
  'shutting-down': 'agentUnavailable',
  internal: 'internal',
  offline: 'offline',
  'bad-stream': 'agentUnavailable',
  aborted: 'stopped',
};

/** Whether the same question may be sent again by a click. */
export function isRetryable(code: WidgetCode): boolean {
  if (code === 'offline' || code === 'bad-stream') return true;
  return code !== 'aborted' && problems[code].retryable;
}

export function isProblemCode(value: unknown): value is ProblemCode {
  return typeof value === 'string' && Object.hasOwn(problems, value);
}

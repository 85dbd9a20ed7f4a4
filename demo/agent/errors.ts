/** The one error of the agent service: a status, a code, a message, in the general body shape of the API. */

import type { ContentfulStatusCode } from 'hono/utils/http-status';

export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly status: ContentfulStatusCode;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** What is not ours is a 500 whose cause stays in the log. */
export function toAgentError(thrown: unknown): AgentError {
  return thrown instanceof AgentError
    ? thrown
    : new AgentError(500, 'internal_error', 'Internal server error.');
}

/** `{success: false, error: {message, code}}`, agent-api.md "Errors", shape 1. */
export function toErrorBody(error: AgentError) {
  return { success: false, error: { message: error.message, code: error.code } };
}

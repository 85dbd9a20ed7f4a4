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

const endpointLevel = /^\/v1\/bot\/(crm|tasks|stats)\//;

/** agent-api.md "Errors": shape 2 under some paths, shape 1 elsewhere. */
export function toErrorBody({ message, code }: AgentError, path: string) {
  return endpointLevel.test(path) ? { error: message, code } : { success: false, error: { message, code } };
}

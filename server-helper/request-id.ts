/** Ties what a visitor reports to the lines of the log: an id of each request, which its reply carries. */

const shape = /^[\w.-]{8,64}$/;

/** A trusted proxy's own, so that its log fits too. What a visitor says is not written into a log. */
export function readRequestId(headers: Headers, trustedProxies: number): string {
  const given = trustedProxies > 0 ? headers.get('x-request-id') : null;
  return given !== null && shape.test(given) ? given : crypto.randomUUID();
}

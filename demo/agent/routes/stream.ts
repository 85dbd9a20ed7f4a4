/** A running reply as `text/event-stream`. */

import type { Reply } from '../turns/reply.ts';

export function toEventStream(reply: Reply, headers: Headers): Response {
  const answer = new Headers(headers);
  answer.set('content-type', 'text/event-stream; charset=utf-8');
  answer.set('cache-control', 'no-store, no-transform');
  answer.set('x-accel-buffering', 'no');
  return new Response(reply.follow(), { headers: answer });
}

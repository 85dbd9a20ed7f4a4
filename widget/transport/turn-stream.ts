/** Follows one turn to its end, over as many connections as it takes: the same turn id makes every try harmless. */
import { createSseReader, type SseEvent } from '../../server-helper/protocol/sse.ts';
import {
  endKinds,
  isTurnEventKind,
  type TurnEvent,
  type TurnRequest,
} from '../../server-helper/protocol/wire.ts';
import { isRetryable, toWidgetError, type WidgetCode, WidgetError } from '../errors.ts';
import { toBackoffMs, wait } from './backoff.ts';
import type { SessionKeeper } from './session.ts';

export type TurnAddress = { conversationId: string; turnId: string };

export type TurnFollower = {
  /** Absent: the turn is known to the helper, and only followed. */
  question?: TurnRequest | undefined;
  /** What of the turn has been seen: moved on with each event. */
  seen: { lastEventId: number | undefined };
  onEvent(event: TurnEvent): void;
  /** All events of one read have been handed out. */
  onRead(): void;
  /** The helper has the question. */
  onAccepted(): void;
  /** Why the connection is lost; undefined once it is back. */
  onLost(lost: WidgetCode | undefined): void;
  signal: AbortSignal;
};

export function toTurnPath({ conversationId, turnId }: TurnAddress): string {
  return `/conversations/${conversationId}/turns/${turnId}`;
}

/** The helper writes at least a comment every 15 s; longer silence is a dead connection. */
const silenceMs = 45_000;
/** From the end of the turn to that of its stream. */
const closingMs = 5_000;
/** Of a turn that the helper has: it lives ten minutes at most. */
const mostTries = 40;
/** A lost connection that is back by then is not spoken of. */
const quickMs = 1_000;
/** Half a minute or so. */
const mostUnreachable = 6;

/**
 * Resolves `ended` after the end event, `gone` when there is nothing to follow: history then has the answer.
 *
 * @throws WidgetError when trying again is of no use; what the signal was aborted for
 */
export async function followTurn(
  sessions: SessionKeeper,
  address: TurnAddress,
  follower: TurnFollower,
): Promise<'ended' | 'gone'> {
  const { seen, signal } = follower;
  let { question } = follower;
  let failures = 0;
  let telling: ReturnType<typeof setTimeout> | undefined;
  for (;;) {
    let lost: WidgetCode = 'bad-stream';
    const line = new AbortController();
    try {
      const response = await sessions
        .call({
          method: question ? 'PUT' : 'GET',
          path: toTurnPath(address),
          body: question,
          lastEventId: seen.lastEventId,
          signal,
          line,
        })
        .finally(() => clearTimeout(telling));
      if (response.status === 204) return 'gone';
      // A captive portal's page comes with a 200 too, and nobody there has taken the question.
      if (!isEventStream(response)) throw new WidgetError('bad-stream');
      if (question) follower.onAccepted();
      question = undefined;
      follower.onLost(undefined);
      const before = seen.lastEventId;
      if (await readTurn(response, line, follower)) return 'ended';
      if (seen.lastEventId !== before) failures = 0;
    } catch (thrown) {
      const error = toWidgetError(thrown);
      const mayTry = question ? mayAskAgain(error.code, failures) : mayFollowAgain(error);
      if (!mayTry || signal.aborted) throw error;
      lost = error.code;
    }
    // A helper that goes away moves its readers on: nobody is told of what is mended at once.
    telling = setTimeout(() => signal.aborted || follower.onLost(lost), failures ? 0 : quickMs);
    failures += 1;
    if (!question && failures > mostTries) throw new WidgetError('bad-stream');
    await wait(toBackoffMs(failures - 1), signal);
  }
}

/** What refused the session was asked twice already. */
function mayFollowAgain({ code, status }: WidgetError): boolean {
  return isRetryable(code) && status !== 401;
}

/** A question waits for the network; for a helper that does not answer only so long, then the visitor decides. */
function mayAskAgain(code: WidgetCode, failures: number): boolean {
  if (code === 'unreachable') return failures < mostUnreachable;
  return code === 'offline' || code === 'shutting-down';
}

function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** @returns whether the end event came */
async function readTurn(
  response: Response,
  line: AbortController,
  { seen, signal, onEvent, onRead }: TurnFollower,
): Promise<boolean> {
  // Chromium counts a stream that is not to be stored as aborted at its end, unless there is a copy of it.
  response.clone();
  // There is one: what has no body has no content type either.
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let ended = false;
  let over = false;
  const parser = createSseReader((event) => {
    const turnEvent = readTurnEvent(event);
    if (/^\d+$/.test(event.id ?? '')) seen.lastEventId = Number(event.id);
    if (!turnEvent || over) return;
    // A pause in a replay may have been decided since: then more follows, else the helper closes the stream.
    ended = endKinds.has(turnEvent.kind);
    over = ended && turnEvent.kind !== 'turn-paused';
    onEvent(turnEvent);
  });
  const hangUp = () => line.abort();
  signal.addEventListener('abort', hangUp);
  try {
    for (;;) {
      const watch = setTimeout(hangUp, silenceMs);
      const { done, value } = await reader.read();
      clearTimeout(watch);
      if (done) break;
      parser.push(value);
      onRead();
      if (!over) continue;
      // Where it is not closed after the end; to abort what is over does nothing.
      setTimeout(hangUp, closingMs);
      break;
    }
  } catch {
    // A reset, a phone that slept, Safari's "Load failed": all the same, the connection is gone.
  }
  if (signal.aborted) throw new WidgetError('aborted');
  onRead();
  return ended;
}

/** Undefined: a kind this version does not know, or data that is no JSON object; both are skipped. */
export function readTurnEvent({ event, data }: SseEvent): TurnEvent | undefined {
  if (!isTurnEventKind(event)) return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null
      ? ({ kind: event, data: value } as TurnEvent)
      : undefined;
  } catch {
    return undefined;
  }
}

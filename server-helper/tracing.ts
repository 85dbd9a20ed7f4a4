/** Spans for OpenTelemetry, where the app has its API: each turn, and each call of the agent. Nothing of a visitor is in them. */
import type * as Api from '@opentelemetry/api';
import type { Dispatch, Exchange } from './agent/http.ts';
import type { ProblemCode } from './protocol/wire.ts';

export type Tracing = {
  /** What `work` begins belongs to the turn, from now until its end. */
  turn<T>(turn: { id: string }, botId: string, work: () => T): T;
  /** @param end how it ended here, or `elsewhere`. Of one that is not traced nothing happens. */
  turnEnded(turn: object, end: { status: string; code?: ProblemCode; firstWordMs?: number }): void;
  /** The same, with a span of each call. */
  trace(dispatch: Dispatch): Dispatch;
};

const packageName = '@opentelemetry/api';

/** Where the app has no such package there are no spans; until it is loaded, neither. */
export function createTracing(): Tracing {
  let api: typeof Api | undefined;
  import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ packageName).then(
    (loaded: typeof Api) => {
      api = loaded;
    },
    () => {},
  );
  const spans = new WeakMap<object, Api.Span>();
  return {
    turn(turn, botId, work) {
      if (!api) return work();
      const span = startTurn(api, turn.id, botId);
      spans.set(turn, span);
      return api.context.with(api.trace.setSpan(api.context.active(), span), work);
    },
    turnEnded(turn, { status, code, firstWordMs }) {
      const span = spans.get(turn);
      if (!api || !span) return;
      spans.delete(turn);
      span.setAttribute('porchlight.turn.end', status);
      if (firstWordMs !== undefined) span.setAttribute('porchlight.turn.first_word_ms', firstWordMs);
      if (code !== undefined) fail(api, span, code);
      span.end();
    },
    trace: (dispatch) => (request, exchange) =>
      dispatch(request, api ? toTraced(api, request, exchange) : exchange),
  };
}

const getTracer = ({ trace }: typeof Api) => trace.getTracer('porchlight');

/** Names and attributes as of the semantic conventions for generative AI. */
function startTurn(api: typeof Api, turnId: string, botId: string): Api.Span {
  return getTracer(api).startSpan(`invoke_agent ${botId}`, {
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': botId,
      'porchlight.turn.id': turnId,
    },
  });
}

/** The query is left out, and so is the body: ids and words of a visitor are in them. */
function toTraced(api: typeof Api, { method, url }: Parameters<Dispatch>[0], exchange: Exchange): Exchange {
  const span = getTracer(api).startSpan(`${method} ${url.pathname}`, {
    kind: api.SpanKind.CLIENT,
    attributes: {
      'http.request.method': method,
      'server.address': url.hostname,
      'url.template': url.pathname,
    },
  });
  return {
    onStart(status, header) {
      span.setAttribute('http.response.status_code', status);
      if (status >= 400) fail(api, span, String(status));
      exchange.onStart(status, header);
    },
    onData: (bytes) => exchange.onData(bytes),
    onEnd() {
      span.end();
      exchange.onEnd();
    },
    onError(cause) {
      if (cause !== undefined) fail(api, span, 'unreachable');
      span.end();
      exchange.onError(cause);
    },
  };
}

function fail(api: typeof Api, span: Api.Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: api.SpanStatusCode.ERROR });
}

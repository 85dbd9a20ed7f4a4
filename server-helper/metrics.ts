/** What the helper counts for its operator, as Prometheus reads it. No visitor's text, name or address is in it. */
import type { ProblemCode } from './protocol/wire.ts';

/** A turn that has ended here, or waits for its visitor. Times in ms. */
export type EndedTurn = {
  status: 'completed' | 'stopped' | 'paused' | 'failed';
  code: ProblemCode | undefined;
  /** Since the question, or since the decision; undefined where nothing was said, or where it was counted before. */
  firstWordMs: number | undefined;
  /** Undefined where this helper did not see it begin, or where only its visitor was waited for. */
  ms: number | undefined;
};

/** What is so at this moment, in the units that the names say. */
export type Gauges = {
  liveTurns: number;
  readers: number;
  heldBytes: number;
  process?: ProcessGauges | undefined;
};

/** Of the runtime, where it can tell: the event loop's delay since it was asked last, and the memory held. */
export type ProcessGauges = {
  delaySeconds: { p50: number; p99: number; max: number };
  residentBytes: number;
};

/** @param goesOn the next one is told of the time before this one, too */
export type MeasureProcess = (goesOn?: boolean) => ProcessGauges;

export type Metrics = {
  turnEnded(turn: EndedTurn): void;
  /** `ok`, a status such as `429`, `unreachable`, `timeout`. */
  agentAnswered(outcome: string): void;
  refused(code: ProblemCode): void;
  /** Which limit somebody was refused by. */
  limited(limit: string): void;
  /** Text format 0.0.4. */
  write(gauges: Gauges): string;
};

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** In seconds. */
export const firstWordBuckets = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 30, 60];
const turnBuckets = [0.5, 1, 2, 4, 8, 16, 30, 60, 120, 300, 600];

export function createMetrics(): Metrics {
  const turns = createCounter();
  const failures = createCounter();
  const calls = createCounter();
  const refusals = createCounter();
  const reached = createCounter();
  const firstWord = createHistogram(firstWordBuckets);
  const whole = createHistogram(turnBuckets);

  return {
    turnEnded({ status, code, firstWordMs, ms }) {
      turns.add(status);
      if (code !== undefined) failures.add(code);
      if (firstWordMs !== undefined) firstWord.observe(firstWordMs / 1000);
      if (ms !== undefined) whole.observe(ms / 1000);
    },
    agentAnswered: calls.add,
    refused: refusals.add,
    limited: reached.add,
    write({ liveTurns, readers, heldBytes, process }) {
      const families = [
        toFamily('turns_total', 'counter', 'Turns by how they ended', turns.lines('end')),
        toFamily('turn_failures_total', 'counter', 'Failed turns by code', failures.lines('code')),
        toFamily('first_word_seconds', 'histogram', 'From the question to its first word', firstWord.lines()),
        toFamily('turn_seconds', 'histogram', 'From the question to the end of its turn', whole.lines()),
        toFamily('agent_calls_total', 'counter', 'Calls of the agent by outcome', calls.lines('outcome')),
        toFamily('refusals_total', 'counter', 'Refused requests by code', refusals.lines('code')),
        toFamily('limits_total', 'counter', 'Refusals by the limit that was reached', reached.lines('limit')),
        toFamily('live_turns', 'gauge', 'Turns that run here', [['', '', liveTurns]]),
        toFamily('readers', 'gauge', 'Streams that are open', [['', '', readers]]),
        toFamily('held_bytes', 'gauge', 'Bytes of turns that are held for readers', [['', '', heldBytes]]),
      ];
      if (process) {
        const { delaySeconds, residentBytes } = process;
        const delays: Line[] = [
          ['', '{quantile="0.5"}', delaySeconds.p50],
          ['', '{quantile="0.99"}', delaySeconds.p99],
          ['', '{quantile="1"}', delaySeconds.max],
        ];
        families.push(
          toFamily('event_loop_delay_seconds', 'gauge', 'Delay since the last time this was read', delays),
          toFamily('resident_bytes', 'gauge', 'Memory of the process', [['', '', residentBytes]]),
        );
      }
      return families.join('');
    },
  };
}

/** What comes behind the family's name, its labels, and the number. */
type Line = [suffix: string, labels: string, value: number];

function toFamily(name: string, type: string, help: string, lines: readonly Line[]): string {
  const full = `porchlight_${name}`;
  const values = lines.map(([suffix, labels, value]) => `${full}${suffix}${labels} ${value}\n`);
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${values.join('')}`;
}

/** Its values are codes of a closed set, so that what is counted stays few. */
function createCounter() {
  const counts = new Map<string, number>();
  return {
    add(value: string): void {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    },
    lines: (label: string): Line[] =>
      [...counts].map(([value, count]) => ['', `{${label}="${value}"}`, count]),
  };
}

/** @param bounds ascending, in seconds */
function createHistogram(bounds: readonly number[]) {
  const counts = bounds.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    observe(value: number): void {
      count += 1;
      sum += value;
      const at = bounds.findIndex((bound) => value <= bound);
      if (at >= 0) counts[at] = (counts[at] as number) + 1;
    },
    lines(): Line[] {
      let below = 0;
      const buckets = bounds.map((bound, at): Line => {
        below += counts[at] as number;
        return ['_bucket', `{le="${bound}"}`, below];
      });
      return [...buckets, ['_bucket', '{le="+Inf"}', count], ['_sum', '', sum], ['_count', '', count]];
    },
  };
}

/** What Node tells of its process, for the metrics. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MeasureProcess } from './metrics.ts';

/** A timer of this many ms is watched: what it comes late is the delay. */
const resolutionMs = 20;

export function measureNode(): MeasureProcess {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  /** The histogram tells the whole wait, in nanoseconds, and nothing sensible while it is empty. */
  const toSeconds = (nanoseconds: number) =>
    delay.count === 0 ? 0 : Math.max(0, Number((nanoseconds / 1e9 - resolutionMs / 1e3).toFixed(4)));
  return (goesOn = false) => {
    const delaySeconds = {
      p50: toSeconds(delay.percentile(50)),
      p99: toSeconds(delay.percentile(99)),
      max: toSeconds(delay.max),
    };
    if (!goesOn) delay.reset();
    return { delaySeconds, residentBytes: process.memoryUsage.rss() };
  };
}

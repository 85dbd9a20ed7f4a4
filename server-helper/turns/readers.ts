/** How many turns one visitor may have running and how many streams open: more are refused, and none is cut. */
import { LimitReached } from '../errors.ts';
import type { Following, LogSink } from './log.ts';

export type Readers = {
  /** @throws HelperError `rate-limited` when the owner has as many open as one may have */
  require(owner: string): void;
  /** Streams that are open. */
  readonly count: number;
  /** Counts a reader for as long as it reads. */
  follow(owner: string, sink: LogSink, follow: (sink: LogSink) => Following): Following;
};

const tryAgainMs = 5_000;

export function refuseMore(limit: string, what: string): never {
  throw new LimitReached(limit, tryAgainMs, what);
}

/** @param most streams that one visitor may have open */
export function createReaders(most: number): Readers {
  const open = new Map<string, number>();
  let count = 0;
  const leave = (owner: string) => {
    count -= 1;
    const left = (open.get(owner) ?? 1) - 1;
    if (left > 0) open.set(owner, left);
    else open.delete(owner);
  };

  return {
    require(owner) {
      if ((open.get(owner) ?? 0) >= most)
        refuseMore('openReaders', 'Too many answers are being read at once');
    },
    get count() {
      return count;
    },
    follow(owner, sink, follow) {
      count += 1;
      open.set(owner, (open.get(owner) ?? 0) + 1);
      const counted = new Counted(sink, owner, leave);
      counted.following = follow(counted);
      return counted;
    },
  };
}

/** One reader: a class, for there are thousands. */
class Counted implements LogSink, Following {
  following: Following | undefined;
  #isOpen = true;

  constructor(
    readonly sink: LogSink,
    readonly owner: string,
    readonly onLeave: (owner: string) => void,
  ) {}

  write(bytes: Uint8Array): boolean {
    return this.sink.write(bytes);
  }
  end(): void {
    this.#leave();
    this.sink.end();
  }
  cut(): void {
    this.#leave();
    this.sink.cut();
  }
  resume(): void {
    this.following?.resume();
  }
  stop(): void {
    this.#leave();
    this.following?.stop();
  }
  #leave(): void {
    if (this.#isOpen) this.onLeave(this.owner);
    this.#isOpen = false;
  }
}

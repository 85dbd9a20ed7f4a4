/**
 * Preloaded into a helper process (`node --import`): its clock runs as usual, and on a message `{advanceMs}` from the
 * parent it moves ahead by that much, with every timer that falls due fired in order. So nobody waits out an hour.
 */
const real = {
  now: Date.now,
  monotonicNow: performance.now.bind(performance),
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setImmediate: globalThis.setImmediate,
};
/** Steps of an advance: small enough that a timer set on the way is not skipped. */
const stepMs = 250;
let aheadMs = 0;
const now = () => real.now() + aheadMs;
performance.now = () => real.monotonicNow() + aheadMs;
const waiting = new Set();

class MovableTimer {
  constructor(run, ms, everyMs) {
    this.run = run;
    this.everyMs = everyMs;
    this.ref_ = true;
    this.arm(now() + ms);
  }
  arm(dueAt) {
    this.dueAt = dueAt;
    waiting.add(this);
    this.plan();
  }
  plan() {
    real.clearTimeout(this.real);
    this.real = real.setTimeout(() => this.fire(), Math.max(0, this.dueAt - now()));
    if (!this.ref_) this.real.unref();
  }
  fire() {
    this.clear();
    if (this.everyMs !== undefined) this.arm(this.dueAt + this.everyMs);
    this.run();
  }
  clear() {
    real.clearTimeout(this.real);
    waiting.delete(this);
  }
  ref() {
    this.ref_ = true;
    this.real.ref();
    return this;
  }
  unref() {
    this.ref_ = false;
    this.real.unref();
    return this;
  }
  hasRef() {
    return this.ref_;
  }
  refresh() {
    this.arm(now() + (this.everyMs ?? 0));
    return this;
  }
  close() {
    this.clear();
    return this;
  }
  [Symbol.toPrimitive]() {
    return 0;
  }
}

const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(now());
    else super(...args);
  }
  static now() {
    return now();
  }
};
globalThis.setTimeout = (run, ms = 0, ...args) => new MovableTimer(() => run(...args), Number(ms) || 0);
globalThis.setInterval = (run, ms = 0, ...args) => {
  const everyMs = Math.max(1, Number(ms) || 1);
  return new MovableTimer(() => run(...args), everyMs, everyMs);
};
const clear = (timer) => {
  if (timer instanceof MovableTimer) timer.clear();
  else real.clearTimeout(timer);
};
globalThis.clearTimeout = clear;
globalThis.clearInterval = clear;

async function advance(ms) {
  const until = aheadMs + ms;
  while (aheadMs < until) {
    aheadMs = Math.min(until, aheadMs + stepMs);
    const due = [...waiting].filter((timer) => timer.dueAt <= now()).sort((a, b) => a.dueAt - b.dueAt);
    for (const timer of due) if (waiting.has(timer)) timer.fire();
    await new Promise((resolve) => real.setImmediate(resolve));
  }
  for (const timer of waiting) timer.plan();
}

process.on('message', ({ advanceMs }) => {
  void advance(advanceMs).then(() => process.send?.({ advanced: true }));
});
process.channel?.unref();

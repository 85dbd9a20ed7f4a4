/** What the helper writes down: short facts with a code, never a key, a token, an address or a visitor's text. */

/** Fields are numbers, booleans, codes and ids that the helper made itself. */
export type LogFields = Record<string, string | number | boolean | undefined>;

/** The part of a pino logger that the helper uses; any logger of this shape will do. */
export type Log = {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
};

export const silentLog: Log = { info() {}, warn() {}, error() {} };

/** Where an app gives no logger: what somebody has to see to. */
export const consoleLog: Log = {
  info() {},
  warn: (fields, message) => console.warn(`porchlight: ${message}`, toKnown(fields)),
  error: (fields, message) => console.error(`porchlight: ${message}`, toKnown(fields)),
};

/** A logger of JSON drops what is undefined by itself. */
function toKnown(fields: LogFields): LogFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** An app's logger that throws stops no question: what it would not take is said on the console. */
export function createLastingLog(log: Log): Log {
  const call = (level: keyof Log) => (fields: LogFields, message: string) => {
    const onFault = () => consoleLog[level](fields, message);
    try {
      // An async one that rejects would end the whole process.
      const writing: unknown = log[level](fields, message);
      if (writing instanceof Promise) writing.catch(onFault);
    } catch {
      onFault();
    }
  };
  return { info: call('info'), warn: call('warn'), error: call('error') };
}

const againMs = 60_000;

/** For what would fill a log: true once a minute for each key. @param nowMs monotonic */
export function createPace(nowMs: () => number): (key: string) => boolean {
  const toldAt = new Map<string, number>();
  return (key) => {
    if (nowMs() - (toldAt.get(key) ?? Number.NEGATIVE_INFINITY) < againMs) return false;
    toldAt.set(key, nowMs());
    return true;
  };
}

/** The name of what was thrown and where: a message may quote what somebody sent, so it is left out. Never throws. */
export function toLogFields(error: unknown): LogFields {
  try {
    if (!(error instanceof Error)) return { error: typeof error };
    return { error: asWord(error.name) ?? 'Error', at: readFrame(error) };
  } catch {
    return { error: 'Error' };
  }
}

function readFrame({ stack, message }: Error): string | undefined {
  // An app may have made something else of it, by Error.prepareStackTrace.
  if (typeof stack !== 'string') return undefined;
  // A message may have lines that look like frames.
  const at = stack.indexOf(message);
  const frames = at < 0 ? stack : stack.slice(at + message.length);
  return frames
    .split('\n')
    .find((line) => line.trimStart().startsWith('at '))
    ?.trim()
    .replace(/^at /, '')
    .replace(/\(?file:.*\//, '(');
}

/** What may be logged of what somebody else sent: a code, which quotes no visitor as a message might, and no key. */
export function asWord(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.-]{1,64}$/.test(value) && !keyLike.test(value)
    ? value
    : undefined;
}

/** As no code has: a long run of letters with digits among them. */
const keyLike = /(?=[a-z]*\d)[a-z\d]{12}/i;

/** Where the process writes its log: in nobody's way, whatever becomes of the disk, the terminal or the reader behind it. */
import { write, writeSync } from 'node:fs';

/** What cannot be written is kept up to here, then lost. */
const mostChars = 1_000_000;
const againMs = 100;

export type LogOutput = { write(line: string): void };

/**
 * A destination for pino. Its own ones retry a write that failed for ever when the process ends, a full disk's too.
 *
 * @param fd open for writing, such as 1
 */
export function createLogOutput(fd: number): LogOutput {
  let waiting = '';
  let isWriting = false;
  let lost = 0;

  const writeOn = (chunk: Buffer) => {
    isWriting = true;
    write(fd, chunk, (error, written) => {
      if (error?.code === 'EAGAIN' || error?.code === 'EBUSY')
        return void setTimeout(() => writeOn(chunk), againMs).unref();
      isWriting = false;
      if (error) lost += countLines(chunk);
      else if (written < chunk.length) return writeOn(chunk.subarray(written));
      else if (lost > 0) {
        waiting = `${JSON.stringify({ level: 40, time: Date.now(), lines: lost, msg: 'the log could not be written for a while' })}\n${waiting}`;
        lost = 0;
      }
      next();
    });
  };
  const next = () => {
    if (isWriting || waiting === '') return;
    const chunk = Buffer.from(waiting);
    waiting = '';
    writeOn(chunk);
  };
  process.once('exit', () => {
    // Once, and not behind a write that is stuck.
    if (isWriting || waiting === '') return;
    try {
      writeSync(fd, waiting);
    } catch {
      // There is nobody left to be told.
    }
  });
  return {
    write(line) {
      if (waiting.length + line.length > mostChars) lost += 1;
      else waiting += line;
      next();
    },
  };
}

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (const byte of chunk) if (byte === 10) lines += 1;
  return lines;
}

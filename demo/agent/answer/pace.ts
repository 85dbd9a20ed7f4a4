/** The pace of the built-in answerer: word by word. */

export interface Pace {
  /** 0: as fast as possible. */
  wordsPerSecond: number;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export async function sayWords(
  text: string,
  say: (words: string) => void,
  pace: Pace,
  signal: AbortSignal,
): Promise<void> {
  for (const word of text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
    if (pace.wordsPerSecond > 0) await pace.sleep(1000 / pace.wordsPerSecond, signal);
    if (signal.aborted) return;
    say(word);
  }
}

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

/** An estimate, where no model counts. */
const charsOfToken = 4;

/** At most so many estimated tokens, cut between words. */
export function cutToTokens(text: string, maxTokens: number | undefined): string {
  const maxLength = (maxTokens ?? Number.POSITIVE_INFINITY) * charsOfToken;
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 0)) || cut}…`;
}

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / charsOfToken);
}

export const toChars = (tokens: number): number => Math.floor(tokens * charsOfToken);

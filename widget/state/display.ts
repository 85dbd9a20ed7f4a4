/** What the page makes of an answer before it is shown. What is kept, counted and saved stays as the agent wrote it. */
import type { BeforeDisplay } from '../public.ts';
import type { Answer } from './turn.ts';

/** @returns the answer to show; undefined: none */
export type Display = (answer: Answer) => Answer | undefined;

/** Asks the page once for each state of an answer. */
export function createDisplay(change: BeforeDisplay): Display {
  const known = new WeakMap<Answer, Answer | undefined>();
  let isTold = false;
  /** Once: it is asked at each word. */
  const tell = (text: string, cause: unknown) => {
    if (!isTold) console.error(`Porchlight: ${text}`, cause);
    isTold = true;
  };
  const ask = (answer: Answer): Answer | undefined => {
    const { turnId, text, status } = answer;
    if (text === '') return answer;
    try {
      const shown = change({ turnId, text, isWhole: status === 'completed' });
      const isText = typeof shown === 'string';
      if (isText && shown.trim() !== '') return { ...answer, text: shown };
      if (!isText && shown !== null) {
        if (shown !== undefined) tell('onBeforeDisplay takes text or null at once', shown);
        return answer;
      }
      // How it ended, or what the agent waits for, is said all the same.
      return status === 'completed' ? undefined : { ...answer, text: '', sources: [] };
    } catch (error) {
      tell('onBeforeDisplay got a function that failed:', error);
      return answer;
    }
  };
  return (answer) => {
    if (!known.has(answer)) known.set(answer, ask(answer));
    return known.get(answer);
  };
}

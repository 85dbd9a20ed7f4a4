/** An open question is answered where everything else is typed, too: the composer’s Enter and Send are its card’s for as long. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useChat } from './context.ts';
import { isEnter } from './enter.ts';

/** `limits.maxAnswerChars` of the wire, whose table would be loaded for it. */
export const maxAnswerChars = 2_000;

/** So long after the card has come it has not been read, and a click was meant for what stood there before. */
const guardMs = 400;

/** @param answer undefined: what is typed answers nothing now */
export function useTypedAnswer(answer: ((text: string) => void) | undefined): void {
  const { draft, field, hint, panel } = useChat();
  const since = useRef(performance.now());
  useLayoutEffect(() => {
    const form = field.current?.form;
    if (!form || !answer) return;
    const take = (event: MouseEvent | KeyboardEvent) => {
      const target = event.target as Element;
      const isMeant =
        event instanceof KeyboardEvent
          ? isEnter(event) && !event.shiftKey && !event.repeat && target.matches('textarea')
          : target.closest('[part=send]');
      const text = draft.value.trim();
      const isEarly = performance.now() - since.current < guardMs;
      // Under a veil something else stands there, and it may be somebody else's question.
      if (isEarly || !isMeant || text === '' || text.length > maxAnswerChars || panel.veil.value > 0) return;
      event.preventDefault();
      event.stopPropagation();
      hint.value = undefined;
      answer(text);
    };
    form.addEventListener('click', take, true);
    form.addEventListener('keydown', take, true);
    return () => {
      form.removeEventListener('click', take, true);
      form.removeEventListener('keydown', take, true);
    };
  });
}

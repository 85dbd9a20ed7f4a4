/** The newest question, in its own place, to be asked otherwise. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useChat } from './context.ts';
import { Notice } from './notice.tsx';

/** As the helper takes: its limits imported would weigh on the app. */
export const maxEditedChars = 32_000;

type EditorProps = {
  text: string;
  onSend: (text: string) => void;
  onCancel: () => void;
};

export function Editor({ text, onSend, onCancel }: EditorProps) {
  const { conversation, panel, t } = useChat();
  const field = useRef<HTMLTextAreaElement>(null);
  const typed = useSignal(text);
  const question = typed.value.trim();
  const over = question.length - maxEditedChars;
  // What another tab asks meanwhile comes first.
  const isBusy = conversation.running.value !== undefined || panel.veil.value > 0;
  const grow = () => {
    const area = field.current;
    if (!area) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight}px`;
  };
  useLayoutEffect(() => {
    grow();
    const area = field.current;
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }, []);
  const send = () => {
    if (question !== '' && over <= 0 && !isBusy) onSend(question);
  };
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        dir="auto"
        rows={1}
        enterkeyhint="send"
        aria-label={t('editing')}
        value={typed.value}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
          grow();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && !event.isComposing) {
            // Of the field, and not of the chat.
            event.stopPropagation();
            onCancel();
          }
          // 229: Safari ends a composition before it tells of the Enter that ended it.
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
          event.preventDefault();
          if (!event.repeat) send();
        }}
      />
      {over > 0 && <Notice state="too-long" values={{ over }} class="outcome" />}
      <span>
        <button type="button" onClick={onCancel}>
          {t('cancel')}
        </button>
        <button type="submit" aria-disabled={question === '' || over > 0 || isBusy}>
          {t('send')}
        </button>
      </span>
    </form>
  );
}

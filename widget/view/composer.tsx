/** Where the visitor writes: Enter sends, Shift+Enter breaks the line. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { limits } from '../../server-helper/protocol/wire.ts';
import { useChat } from './context.ts';
import { Icon } from './icons.tsx';

const maxHeightPx = 160;

export function Composer({ focus }: { focus: boolean }) {
  const { panel, conversation, begin, t } = useChat();
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useSignal('');
  const isRunning = conversation.running.value !== undefined;
  const agent = panel.session.value?.agent;
  const isRefused = panel.refused.value === 'sign-in-required';

  useEffect(() => {
    if (focus) field.current?.focus({ preventScroll: true });
  }, [focus]);
  // Read after the browser has laid the new text out anyway, never while an answer streams.
  useEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = 'auto';
    if (text.value !== '') area.style.height = `${Math.min(area.scrollHeight, maxHeightPx)}px`;
  }, [text.value]);

  const send = () => {
    const question = text.value.trim();
    if (question === '' || isRunning) return;
    text.value = '';
    panel.show('conversation');
    conversation.send(question);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // 229: Safari ends a composition before it tells of the Enter that ended it.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        part="composer"
        rows={1}
        aria-label={t('compose')}
        placeholder={agent?.placeholder ?? t('compose')}
        maxLength={limits.maxTextChars}
        enterkeyhint="send"
        disabled={isRefused}
        value={text.value}
        onFocus={begin}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={onKeyDown}
      />
      {isRunning ? (
        <button
          type="button"
          class="round"
          part="stop"
          aria-label={t('stop')}
          onClick={() => conversation.stop()}
        >
          <Icon name="stop" />
        </button>
      ) : (
        <button
          type="submit"
          class="round"
          part="send"
          aria-label={t('send')}
          aria-disabled={text.value.trim() === ''}
        >
          <Icon name="send" />
        </button>
      )}
    </form>
  );
}

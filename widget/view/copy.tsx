/** Copies a block of code, and says that it did; where the browser refuses, the code is selected instead. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { words } from '../strings/en/copy.ts';
import { useChat } from './context.ts';
import { Icon } from './icons.tsx';

export { words };

const saidMs = 2_000;
const toDo = 'M9 9V5.500h9.500V15H15M5.5 9H15v9.500H5.500z';
const done = 'M5 12.500l4.5 4.500L19 7.5';

export default function CopyButton({ text }: { text: string }) {
  const { hint, say, t } = useChat();
  const copied = useSignal(false);
  useEffect(() => {
    if (!copied.value) return;
    const timer = setTimeout(() => {
      copied.value = false;
    }, saidMs);
    return () => clearTimeout(timer);
  }, [copied.value]);
  const copy = async ({ currentTarget }: { currentTarget: HTMLElement }) => {
    const code = currentTarget.previousElementSibling;
    try {
      // Missing where the page is not served securely.
      await navigator.clipboard.writeText(text);
      copied.value = true;
      say(t('copied'));
    } catch {
      if (code) getSelection()?.selectAllChildren(code);
      hint.value = { state: 'not-copied' };
    }
  };
  return (
    <button type="button" class="copy" aria-label={t(copied.value ? 'copied' : 'copy')} onClick={copy}>
      <Icon path={copied.value ? done : toDo} />
    </button>
  );
}

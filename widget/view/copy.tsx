/** Copies a block of code, and says that it did. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useChat } from './context.ts';
import { Icon } from './icons.tsx';

const saidMs = 2_000;

export function CopyButton({ text }: { text: string }) {
  const { t } = useChat();
  const copied = useSignal(false);
  useEffect(() => {
    if (!copied.value) return;
    const timer = setTimeout(() => {
      copied.value = false;
    }, saidMs);
    return () => clearTimeout(timer);
  }, [copied.value]);
  const copy = () => {
    navigator.clipboard?.writeText(text).then(
      () => {
        copied.value = true;
      },
      () => {},
    );
  };
  return (
    <button type="button" class="copy" aria-label={t(copied.value ? 'copied' : 'copy')} onClick={copy}>
      <Icon name={copied.value ? 'check' : 'copy'} />
    </button>
  );
}

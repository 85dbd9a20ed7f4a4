/** Copies a block of code. Loaded with the first. */
import { words } from '../strings/en/copy.ts';
import { useChat } from './context.ts';
import { useCopied } from './copied.ts';
import { Icon } from './icons.tsx';

export { words };

const toDo = 'M9 9V5.500h9.500V15H15M5.5 9H15v9.500H5.500z';
const done = 'M5 12.500l4.5 4.500L19 7.5';

export default function CopyButton({ text }: { text: string }) {
  const { t } = useChat();
  const { isCopied, copy } = useCopied('copied');
  return (
    <button
      type="button"
      class="copy"
      aria-label={t(isCopied ? 'copied' : 'copy')}
      onClick={({ currentTarget }) => copy({ 'text/plain': text }, currentTarget.previousElementSibling)}
    >
      <Icon path={isCopied ? done : toDo} />
    </button>
  );
}

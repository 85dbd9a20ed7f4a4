/** All of a visitor's conversations: to take along, or to erase. Loaded when "Your data" is opened. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { VisitorExport } from '../../server-helper/protocol/wire.ts';
import { toWidgetError, type WidgetError } from '../errors.ts';
import { toMarkdown } from '../state/exported.ts';
import type { State } from '../states.ts';
import { words } from '../strings/en/my-data.ts';
import { useChat } from './context.ts';
import { Notice } from './notice.tsx';

export { words };

/** The browser has read it by then. */
const keptMs = 60_000;

export default function MyData() {
  const { sessions, tabs, panel, conversation, list, root, say, t } = useChat();
  const isAsked = useSignal(false);
  const failure = useSignal<{ state: State; cause: WidgetError; again: () => void } | undefined>(undefined);
  const isBusy = useSignal(false);
  const own = useRef<HTMLSpanElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const erase = useRef<HTMLButtonElement>(null);
  /** One thing at a time, and what went wrong with it can be tried again. */
  const run = async (state: State, act: () => Promise<void>) => {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = undefined;
    try {
      await act();
    } catch (error) {
      failure.value = { state, cause: toWidgetError(error), again: () => run(state, act) };
    } finally {
      isBusy.value = false;
    }
  };
  const save = (kind: 'text' | 'json') =>
    run('export-failed', async () => {
      const response = await sessions.call({ method: 'GET', path: '/visitor' });
      const told = (await response.json()) as VisitorExport;
      const who = {
        visitor: t('you'),
        agent: panel.session.value?.agent.name || t('chat'),
        untitled: t('untitled'),
      };
      if (kind === 'text')
        download(toMarkdown(told, who, t('language')), 'text/markdown', 'conversations.md');
      else download(JSON.stringify(told, undefined, 2), 'application/json', 'conversations.json');
      say(t('saved'));
    });
  const ask = (wanted: boolean) => {
    isAsked.value = wanted;
    queueMicrotask(() => (wanted ? keep : erase).current?.focus());
  };
  const eraseAll = () =>
    run('erase-failed', async () => {
      await sessions.call({ method: 'DELETE', path: '/visitor' });
      const all = list.value?.conversations ?? [];
      for (const { id } of all) tabs.tell({ kind: 'deleted', conversationId: id });
      const area = own.current?.contains(root.activeElement) && own.current.closest<HTMLElement>('.history');
      list.value = { conversations: [] };
      conversation.startNew();
      // What had the focus is gone with the conversations.
      if (area) area.focus();
      say(t('erased'));
    });
  const error = failure.value;
  return (
    <>
      <span class="actions" ref={own}>
        {isAsked.value ? (
          <>
            <button type="button" class="danger" onClick={eraseAll}>
              {t('eraseSure')}
            </button>
            <button type="button" ref={keep} onClick={() => ask(false)}>
              {t('keep')}
            </button>
          </>
        ) : (
          <>
            <button type="button" onClick={() => save('text')}>
              {t('saveText')}
            </button>
            <button type="button" onClick={() => save('json')}>
              {t('saveJson')}
            </button>
            <button type="button" class="danger" ref={erase} onClick={() => ask(true)}>
              {t('erase')}
            </button>
          </>
        )}
      </span>
      {error && <Notice state={error.state} cause={error.cause} again={error.again} />}
    </>
  );
}

function download(text: string, type: string, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), keptMs);
}

/** All of a visitor's conversations: to take along, or to erase. Loaded when "Your data" is opened. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { ConversationList, VisitorExport } from '../../server-helper/protocol/wire.ts';
import { toWidgetError, type WidgetError } from '../errors.ts';
import { toMarkdown } from '../state/exported.ts';
import type { State } from '../states.ts';
import { words } from '../strings/en/my-data.ts';
import { useChat } from './context.ts';
import { Notice } from './notice.tsx';

export { words };

/** The browser has read it by then. */
const keptMs = 60_000;
/** Of the list, newest first: what another tab shows is hardly further back. */
const mostPages = 5;

export default function MyData() {
  const { sessions, tabs, panel, conversation, memory, list, hint, root, say, t } = useChat();
  const isAsked = useSignal(false);
  const failure = useSignal<{ state: State; cause: WidgetError; again: () => void } | undefined>(undefined);
  const isBusy = useSignal(false);
  const own = useRef<HTMLSpanElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const erase = useRef<HTMLButtonElement>(null);
  /** One thing at a time, and what went wrong with it can be tried again. */
  const run = async (state: State, act: (isMine: () => boolean, subject?: string) => Promise<void>) => {
    if (isBusy.value) return;
    const visit = panel.visit.value;
    const subject = panel.session.value?.subject;
    // What was begun for one visitor ends with them, and a guest's with the guest who signs in.
    const isMine = () => panel.visit.value === visit && panel.session.value?.subject === subject;
    isBusy.value = true;
    failure.value = undefined;
    try {
      await act(isMine, subject);
    } catch (error) {
      failure.value = { state, cause: toWidgetError(error), again: () => run(state, act) };
      // The list was left meanwhile.
      if (isMine() && !own.current) hint.value = { state };
    } finally {
      isBusy.value = false;
    }
  };
  const save = (kind: 'text' | 'json') =>
    run('export-failed', async (isMine, subject) => {
      const response = await sessions.call({ method: 'GET', path: '/visitor' }, subject);
      const told = (await response.json()) as VisitorExport;
      if (!isMine()) return;
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
  /** Those too that the list does not show, for other tabs may; no page that cannot be had keeps anybody from erasing. */
  const readIds = async (): Promise<string[]> => {
    const ids = (list.value?.conversations ?? []).map(({ id }) => id);
    let cursor = '';
    try {
      for (let page = 0; page < mostPages; page += 1) {
        const response = await sessions.call({ method: 'GET', path: `/conversations${cursor}` });
        const { conversations, next } = (await response.json()) as ConversationList;
        ids.push(...conversations.map(({ id }) => id));
        if (next === undefined) break;
        cursor = `?cursor=${encodeURIComponent(next)}`;
      }
    } catch {}
    return [...new Set(ids)];
  };
  const eraseAll = () =>
    run('erase-failed', async (isMine, subject) => {
      const visit = panel.visit.value;
      const shown = conversation.id.value;
      const ids = await readIds();
      if (!isMine()) return;
      // What is on its way is asked no more: it would be written down after all.
      panel.giveBack(memory.read().pending?.question.text);
      conversation.hide(false, { isReset: false, isTheirs: false });
      memory.change({ conversationId: undefined, pending: undefined, leaving: undefined });
      try {
        await sessions.call({ method: 'DELETE', path: '/visitor' }, subject);
      } catch (error) {
        // Unless something else is shown by now.
        const isFree = conversation.id.value === undefined && conversation.entries.value.length === 0;
        if (panel.visit.value === visit && isFree && shown !== undefined) void conversation.load(shown);
        throw error;
      }
      if (!isMine()) return;
      // What was begun meanwhile may have come before the erase or after it: the helper knows.
      if (conversation.id.value !== undefined) void conversation.load(conversation.id.value);
      for (const conversationId of ids) tabs.tell({ kind: 'deleted', conversationId });
      const area = own.current?.contains(root.activeElement) && own.current.closest<HTMLElement>('.history');
      list.value = { conversations: [] };
      // What had the focus is gone with the conversations.
      if (area) area.focus();
      say(t('erased'));
    });
  const giveUp = () => isBusy.value || ask(false);
  const error = failure.value;
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons in it */}
      <span
        class="actions"
        ref={own}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.isComposing || !isAsked.value) return;
          // Of the question, and not of the chat.
          event.stopPropagation();
          giveUp();
        }}
      >
        {isAsked.value ? (
          <>
            <button type="button" class="danger" aria-disabled={isBusy.value} onClick={eraseAll}>
              {t('eraseSure')}
            </button>
            <button type="button" ref={keep} aria-disabled={isBusy.value} onClick={giveUp}>
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

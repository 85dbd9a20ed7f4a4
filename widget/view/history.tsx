/** All conversations of the visitor, newest first: to open one, or to delete it for good. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ConversationList, ConversationSummary } from '../../server-helper/protocol/wire.ts';
import { toWidgetError, type WidgetError } from '../errors.ts';
import { words } from '../strings/en/history.ts';
import css from '../styles/history.css?inline';
import { useChat } from './context.ts';
import { Icon } from './icons.tsx';
import { Notice } from './notice.tsx';

export { css, words };

export default function History() {
  const { sessions, list, t } = useChat();
  const area = useRef<HTMLElement>(null);
  const isLoading = useRef(false);
  const failure = useSignal<WidgetError | undefined>(undefined);
  const failedAt = useRef<string | undefined>(undefined);
  const { conversations, next } = list.value ?? {};
  const error = failure.value;
  /** @param cursor where the rows that are shown go on */
  const load = async (cursor?: string) => {
    if (isLoading.current) return;
    isLoading.current = true;
    try {
      const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
      const response = await sessions.call({ method: 'GET', path: `/conversations${query}` });
      const told = (await response.json()) as ConversationList;
      const before = cursor === undefined ? [] : (list.value?.conversations ?? []);
      list.value = { ...told, conversations: [...before, ...told.conversations] };
      failure.value = undefined;
    } catch (error) {
      failedAt.current = cursor;
      failure.value = toWidgetError(error);
    } finally {
      isLoading.current = false;
    }
  };
  useEffect(() => {
    void load();
  }, []);
  const loadMore = async () => {
    await load(next);
    if (list.value?.next === undefined) area.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
    <section class="messages history" aria-label={t('history')} tabIndex={0} ref={area}>
      {!conversations && !error && <Notice state="loading" class="outcome" />}
      {conversations?.length === 0 && <p class="outcome">{t('noHistory')}</p>}
      <ul>
        {conversations?.map((one) => (
          <Row key={one.id} conversation={one} />
        ))}
      </ul>
      {error && <Notice state="list-failed" cause={error} again={() => load(failedAt.current)} />}
      {next !== undefined && !error && (
        <button type="button" class="quiet" onClick={loadMore}>
          {t('more')}
        </button>
      )}
    </section>
  );
}

function Row({ conversation: { id, title, updatedAt } }: { conversation: ConversationSummary }) {
  const { sessions, tabs, panel, conversation, list, rest, t } = useChat();
  const asks = useSignal(false);
  const failure = useSignal<WidgetError | undefined>(undefined);
  const row = useRef<HTMLLIElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const trash = useRef<HTMLButtonElement>(null);
  const name = title || t('untitled');
  const open = () => {
    rest();
    panel.show('conversation');
    if (conversation.id.value !== id) void conversation.load(id);
  };
  const ask = (asking: boolean) => {
    asks.value = asking;
    failure.value = undefined;
    // The one that is drawn next: what was clicked goes away.
    queueMicrotask(() => (asking ? keep : trash).current?.focus());
  };
  const remove = async () => {
    const beside = row.current?.nextElementSibling ?? row.current?.previousElementSibling;
    const area = row.current?.closest<HTMLElement>('.history');
    try {
      await sessions.call({ method: 'DELETE', path: `/conversations/${id}` });
    } catch (error) {
      const cause = toWidgetError(error);
      // Gone already: that is what was wanted.
      if (cause.code !== 'not-found') {
        failure.value = cause;
        return;
      }
    }
    tabs.tell({ kind: 'deleted', conversationId: id });
    if (list.value)
      list.value = { ...list.value, conversations: list.value.conversations.filter((one) => one.id !== id) };
    (beside?.querySelector('button') ?? area)?.focus();
    if (conversation.id.value === id) conversation.startNew();
  };
  return (
    <li ref={row}>
      <button type="button" class="open" onClick={open}>
        <span dir="auto">{name}</span>
        <time dateTime={updatedAt}>
          {new Date(updatedAt).toLocaleDateString(t('language'), { day: 'numeric', month: 'short' })}
        </time>
      </button>
      {asks.value ? (
        <span class="actions">
          <button type="button" class="danger" onClick={remove}>
            {t('removeSure')}
          </button>
          <button type="button" ref={keep} onClick={() => ask(false)}>
            {t('keep')}
          </button>
        </span>
      ) : (
        <button
          type="button"
          class="icon"
          ref={trash}
          aria-label={t('removeTitle', { title: name })}
          onClick={() => ask(true)}
        >
          <Icon path="M5 7h14M9.5 7V4.500h5V7M7 7l.8 12.500h8.400L17 7" />
        </button>
      )}
      {failure.value && <Notice state="delete-failed" cause={failure.value} again={remove} />}
    </li>
  );
}

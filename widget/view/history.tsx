/** All conversations of the visitor, newest first: to open one, or to delete it for good. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ConversationSummary } from '../../server-helper/protocol/wire.ts';
import { WidgetError } from '../errors.ts';
import css from '../styles/history.css?inline';
import { useChat } from './context.ts';
import { Icon } from './icons.tsx';
import { Notice } from './notice.tsx';

export { css };

export default function History() {
  const { panel, t } = useChat();
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    void panel.loadConversations();
  }, []);
  const conversations = panel.conversations.value;
  const error = panel.listError.value;
  const loadMore = async () => {
    await panel.loadConversations(true);
    if (!panel.hasMore.value) list.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
    <section class="messages history" aria-label={t('history')} tabIndex={0} ref={list}>
      {!conversations && !error && <Notice state="loading" class="outcome" />}
      {conversations?.length === 0 && <p class="outcome">{t('noHistory')}</p>}
      <ul>
        {conversations?.map((one) => (
          <Row key={one.id} conversation={one} />
        ))}
      </ul>
      {error && (
        <Notice
          state="list-failed"
          cause={error}
          again={() => panel.loadConversations(conversations !== undefined)}
        />
      )}
      {panel.hasMore.value && !error && (
        <button type="button" class="quiet" onClick={loadMore}>
          {t('more')}
        </button>
      )}
    </section>
  );
}

function Row({ conversation: { id, title, updatedAt } }: { conversation: ConversationSummary }) {
  const { panel, conversation, rest, t } = useChat();
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
    const list = row.current?.closest<HTMLElement>('.history');
    try {
      await panel.remove(id);
    } catch (error) {
      failure.value = error instanceof WidgetError ? error : new WidgetError('internal');
      return;
    }
    (beside?.querySelector('button') ?? list)?.focus();
    if (conversation.id.value === id) conversation.startNew();
  };
  return (
    <li ref={row}>
      <button type="button" class="open" onClick={open}>
        <span dir="auto">{name}</span>
        <time dateTime={updatedAt}>
          {new Date(updatedAt).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}
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
          <Icon name="trash" />
        </button>
      )}
      {failure.value && <Notice state="delete-failed" cause={failure.value} again={remove} />}
    </li>
  );
}

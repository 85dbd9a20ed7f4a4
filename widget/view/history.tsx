/** All conversations of the visitor, newest first: to open one, or to delete it for good. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ConversationSummary } from '../../server-helper/protocol/wire.ts';
import { useChat } from './context.ts';
import { Icon } from './icons.tsx';

export function History() {
  const { panel, t } = useChat();
  useEffect(() => {
    void panel.loadConversations();
  }, []);
  const conversations = panel.conversations.value;
  return (
    <div class="messages history">
      {conversations?.length === 0 && <p class="outcome">{t('noHistory')}</p>}
      <ul>
        {conversations?.map((one) => (
          <Row key={one.id} conversation={one} />
        ))}
      </ul>
      {panel.hasMore.value && (
        <button type="button" class="quiet" onClick={() => panel.loadConversations(true)}>
          {t('more')}
        </button>
      )}
    </div>
  );
}

function Row({ conversation: { id, title, updatedAt } }: { conversation: ConversationSummary }) {
  const { panel, conversation, t } = useChat();
  const asks = useSignal(false);
  const name = title || t('untitled');
  const open = () => {
    panel.show('conversation');
    if (conversation.id.value !== id) void conversation.load(id);
  };
  const remove = async () => {
    await panel.remove(id).catch(() => {});
    if (conversation.id.value === id) conversation.startNew();
  };
  return (
    <li>
      <button type="button" class="open" onClick={open}>
        <span>{name}</span>
        <time dateTime={updatedAt}>
          {new Date(updatedAt).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}
        </time>
      </button>
      {asks.value ? (
        <span class="actions">
          <button type="button" class="danger" onClick={remove}>
            {t('removeSure')}
          </button>
          <button
            type="button"
            onClick={() => {
              asks.value = false;
            }}
          >
            {t('keep')}
          </button>
        </span>
      ) : (
        <button
          type="button"
          class="icon"
          aria-label={t('removeTitle', { title: name })}
          onClick={() => {
            asks.value = true;
          }}
        >
          <Icon name="trash" />
        </button>
      )}
    </li>
  );
}

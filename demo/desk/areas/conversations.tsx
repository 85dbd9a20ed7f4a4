/** Conversations, read as the visitor saw them. */

import { useState } from 'preact/hooks';
import { type Answer, call } from '../api.ts';
import { List, Time } from '../list.tsx';
import { useLoad } from '../load.ts';
import { Panel, Removal } from '../parts.tsx';
import { botId } from '../state.ts';

export function Conversations() {
  const [open, setOpen] = useState<string | undefined>(undefined);
  return (
    <List
      name="Conversations"
      path="/v1/bot/chat/readall"
      list="chats"
      empty="Nobody has asked anything yet."
      columns={[
        {
          label: 'About',
          of: ({ chat_id, subject }) => (
            <button type="button" class="link" onClick={() => setOpen(chat_id)}>
              {subject || 'Without words'}
            </button>
          ),
        },
        { label: 'Messages', of: ({ message_count }) => message_count },
        { label: 'Last', of: ({ updated_at }) => <Time at={updated_at} /> },
        {
          label: '',
          of: ({ chat_id, subject }, { reload }) => (
            <Removal
              label={`Delete ${subject}`}
              done="The conversation was deleted."
              work={async () => {
                await call('DELETE', '/v1/bot/chat/delete', { bot_id: botId.value, chat_id });
                if (open === chat_id) setOpen(undefined);
                reload();
              }}
            >
              Delete
            </Removal>
          ),
        },
      ]}
    >
      {() => open !== undefined && <Conversation key={open} id={open} close={() => setOpen(undefined)} />}
    </List>
  );
}

function Conversation({ id, close }: { id: string; close(): void }) {
  const { data, error } = useLoad('/v1/bot/chat/read', { chat_id: id, per_page: 100 });
  return (
    <Panel title="Conversation" close={close}>
      {error && <p class="wrong">{error}</p>}
      <ol class="talk">
        {data?.conversation.map((message: Answer) => (
          <li key={message.uuid} class={message.role === 'user' ? 'asked' : 'answered'}>
            <p class="faint">
              {message.role === 'user' ? 'Visitor' : 'Agent'}, <Time at={message.created_at} />
            </p>
            <p class="said">{message.content}</p>
          </li>
        ))}
      </ol>
      {data && data.pagination.total_pages > 1 && (
        <p class="faint">The first 100 of {data.total} messages.</p>
      )}
    </Panel>
  );
}

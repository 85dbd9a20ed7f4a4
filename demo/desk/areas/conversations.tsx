/** Conversations, read as the visitor saw them. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, call } from '../api.ts';
import { List, Time } from '../list.tsx';
import { useLoad } from '../load.ts';
import { Pages } from '../pages.tsx';
import { Panel } from '../panel.tsx';
import { Removal, Waiting } from '../parts.tsx';
import { Said } from '../said.tsx';
import { botId } from '../state.ts';

const messagesPerPage = 50;

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
            <button type="button" class="link" dir="auto" onClick={() => setOpen(chat_id)}>
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
              label={`Delete ${subject || 'the conversation without words'}`}
              done="The conversation was deleted."
              work={async () => {
                await call('DELETE', '/v1/bot/chat/delete', { bot_id: botId.value, chat_id });
                setOpen((now) => (now === chat_id ? undefined : now));
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
  const [page, setPage] = useState(1);
  const { data, error, reload } = useLoad('/v1/bot/chat/read', {
    chat_id: id,
    page,
    per_page: messagesPerPage,
  });
  const pages = data?.pagination.total_pages ?? 0;
  const [isAtEnd, setAtEnd] = useState(false);
  // What was said last is what one looks for.
  useEffect(() => {
    if (isAtEnd || pages === 0) return;
    setAtEnd(true);
    setPage(pages);
  }, [pages]);
  const list = useRef<HTMLOListElement>(null);
  const first = data?.conversation[0]?.uuid;
  useEffect(() => {
    list.current?.lastElementChild?.scrollIntoView({ block: 'end' });
  }, [first]);
  return (
    <Panel title="Conversation" close={close}>
      {!data && <Waiting error={error} reload={reload} />}
      <ol class="talk" ref={list}>
        {data?.conversation.map((message: Answer) => (
          <Said key={message.uuid} message={message} />
        ))}
      </ol>
      {data && error && <Waiting error={error} reload={reload} />}
      <Pages
        page={page}
        shown={data?.pagination.page ?? page}
        pages={pages}
        turn={setPage}
        labels={['Earlier', 'Part', 'Later']}
      />
    </Panel>
  );
}

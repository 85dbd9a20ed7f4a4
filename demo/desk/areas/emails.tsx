/** The mail of an agent: its address, what it does by itself, what came and went, replies. */

import { useState } from 'preact/hooks';
import { type Answer, call } from '../api.ts';
import { List, State, Time } from '../list.tsx';
import { useLoad } from '../load.ts';
import { Panel } from '../panel.tsx';
import { New, Removal, Waiting } from '../parts.tsx';
import { act, botId } from '../state.ts';

const switches = [
  ['email_enabled', 'Takes mail'],
  ['email_auto_reply', 'Answers by itself'],
  ['email_notifications', 'Tells the owner of each'],
] as const;

export function Emails() {
  const [open, setOpen] = useState<Answer>(undefined);
  return (
    <>
      <Address />
      <List
        name="E-mails"
        path="/v1/bot/email/readall"
        list="emails"
        empty="No e-mails yet."
        columns={[
          {
            label: 'Subject',
            of: (email) => (
              <button type="button" class="link" dir="auto" onClick={() => setOpen(email)}>
                {email.subject || 'Without subject'}
              </button>
            ),
          },
          {
            label: 'With',
            of: ({ direction, from_address, to_address }) =>
              direction === 'inbound' ? `from ${from_address || 'nobody named'}` : `to ${to_address}`,
          },
          { label: 'State', of: ({ status }) => <State>{status}</State> },
          { label: 'At', of: ({ created_at }) => <Time at={created_at} /> },
          {
            label: '',
            of: ({ uuid, subject }, { reload }) => (
              <Removal
                label={`Delete ${subject || 'the e-mail without subject'}`}
                done="The e-mail was deleted."
                work={async () => {
                  await call('DELETE', '/v1/bot/email/delete', { bot_id: botId.value, email_id: uuid });
                  setOpen((now: Answer) => (now?.uuid === uuid ? undefined : now));
                  reload();
                }}
              >
                Delete
              </Removal>
            ),
          },
        ]}
      >
        {({ reload }) =>
          open && (
            <Panel key={open.uuid} title={open.subject || 'Without subject'} close={() => setOpen(undefined)}>
              <p class="faint">
                {open.from_address} to {open.to_address}, <Time at={open.created_at} />
              </p>
              <p class="said" dir="auto">
                {open.text_body}
              </p>
              {open.direction === 'inbound' && (
                <New
                  title="Reply"
                  done="The reply was sent."
                  submit="Send"
                  work={({ content }) =>
                    call('POST', '/v1/bot/email/reply', {
                      bot_id: botId.value,
                      email_id: open.uuid,
                      content,
                    }).finally(reload)
                  }
                >
                  <label>
                    Text <textarea name="content" rows={6} required maxLength={50_000} />
                  </label>
                </New>
              )}
            </Panel>
          )
        }
      </List>
    </>
  );
}

function Address() {
  const { data, error, reload, show } = useLoad('/v1/bot/email/address');
  const waiting = <Waiting error={error} reload={reload} />;
  if (!data) return waiting;
  return (
    <section class="part">
      {error && waiting}
      <p>
        <b>{data.address}</b>
      </p>
      {switches.map(([name, label]) => (
        <label key={name} class="switch">
          <input
            type="checkbox"
            checked={data.settings[name]}
            onChange={(event) => {
              const change = { [name]: event.currentTarget.checked };
              const input = { bot_id: botId.value, ...change };
              void act('Saved.', () =>
                call('PUT', '/v1/bot/email/settings', input)
                  .then(({ settings }) => show({ ...data, settings }))
                  .finally(reload),
              );
            }}
          />
          {label}
        </label>
      ))}
    </section>
  );
}

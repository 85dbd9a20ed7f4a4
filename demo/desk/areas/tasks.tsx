/** What an agent does by itself, when it will next, and what came of it. */

import { useState } from 'preact/hooks';
import { type Answer, call } from '../api.ts';
import { List, State, Time } from '../list.tsx';
import { Action, New, Panel, Removal } from '../parts.tsx';
import { botId } from '../state.ts';

export function Tasks() {
  const [open, setOpen] = useState<{ uuid: string; name: string } | undefined>(undefined);
  const act = (what: string, task_id: string) =>
    call(what === 'delete' ? 'DELETE' : 'POST', `/v1/bot/tasks/${what}`, { bot_id: botId.value, task_id });
  return (
    <List
      name="Tasks"
      path="/v1/bot/tasks/readall"
      list="tasks"
      empty="No tasks yet."
      columns={[
        {
          label: 'Name',
          of: ({ uuid, name }) => (
            <button type="button" class="link" onClick={() => setOpen({ uuid, name })}>
              {name}
            </button>
          ),
        },
        {
          label: 'When',
          of: ({ schedule_type, schedule_config, timezone }) => (
            <>
              {schedule_type}
              <small>
                {Object.values(schedule_config).join(', ')} {timezone}
              </small>
            </>
          ),
        },
        {
          label: 'State',
          of: ({ enabled, paused_reason }) => (
            <>
              <State>{enabled ? 'on' : 'off'}</State>
              {paused_reason && <small>{paused_reason}</small>}
            </>
          ),
        },
        { label: 'Next run', of: ({ next_run_at }) => <Time at={next_run_at} /> },
        {
          label: 'Last run',
          of: ({ last_executed_at, last_status }) => (
            <>
              {last_status && <State>{last_status}</State>} <Time at={last_executed_at} />
            </>
          ),
        },
        {
          label: '',
          of: ({ uuid, name, enabled }, { reload }) => (
            <span class="actions">
              <Action
                label={`Run ${name} now`}
                done="The task has run."
                work={() => act('trigger', uuid).finally(reload)}
              >
                Run
              </Action>
              <Action
                label={`${enabled ? 'Switch off' : 'Switch on'} ${name}`}
                done={enabled ? 'The task is off.' : 'The task is on.'}
                work={() => act(enabled ? 'disable' : 'enable', uuid).finally(reload)}
              >
                {enabled ? 'Switch off' : 'Switch on'}
              </Action>
              <Removal
                label={`Delete ${name}`}
                done="The task was deleted."
                work={() => act('delete', uuid).finally(reload)}
              >
                Delete
              </Removal>
            </span>
          ),
        },
      ]}
    >
      {({ data, reload }) => (
        <>
          <New
            title="New task"
            done="The task was created."
            work={async ({ prompt, cron_pattern }) => {
              const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
              await call('POST', '/v1/bot/tasks/create', {
                bot_id: botId.value,
                prompt,
                cron_pattern,
                timezone,
              });
              reload();
            }}
          >
            <label>
              What the agent is asked <textarea name="prompt" rows={4} required />
            </label>
            <label>
              When, as a cron pattern in your time zone
              <input name="cron_pattern" defaultValue="0 9 * * 1" required />
            </label>
          </New>
          {open && (
            <Panel key={open.uuid} title={`Runs of ${open.name}`} close={() => setOpen(undefined)}>
              <List
                key={data.tasks.find(({ uuid }: Answer) => uuid === open.uuid)?.execution_count}
                name={`Runs of ${open.name}`}
                path="/v1/bot/tasks/logs"
                list="logs"
                input={{ task_id: open.uuid }}
                empty="It has not run yet."
                columns={[
                  { label: 'At', of: ({ created_at }) => <Time at={created_at} /> },
                  { label: 'State', of: ({ status }) => <State>{status}</State> },
                  { label: 'Reason', of: ({ reason }) => reason },
                  { label: 'Credits', of: ({ credits_used }) => credits_used },
                ]}
              />
            </Panel>
          )}
        </>
      )}
    </List>
  );
}

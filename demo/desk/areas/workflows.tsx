/** Workflows, and each of their runs step by step. */

import { useState } from 'preact/hooks';
import { type Answer, call } from '../api.ts';
import { List, State, Time } from '../list.tsx';
import { useLoad } from '../load.ts';
import { Action, New, Panel, Removal } from '../parts.tsx';
import { botId } from '../state.ts';

export function Workflows() {
  const [open, setOpen] = useState<Answer>(undefined);
  const change = (workflow_id: string, changes: object) =>
    call('PUT', '/v1/bot/workflow/update', { bot_id: botId.value, workflow_id, ...changes });
  return (
    <List
      name="Workflows"
      path="/v1/bot/workflow/readall"
      list="workflows"
      empty="No workflows yet."
      columns={[
        {
          label: 'Name',
          of: (workflow) => (
            <button type="button" class="link" onClick={() => setOpen(workflow)}>
              {workflow.name}
            </button>
          ),
        },
        {
          label: 'Begins with',
          of: ({ trigger_type, trigger_event }) => trigger_event ?? trigger_type,
        },
        { label: 'State', of: ({ status }) => <State>{status}</State> },
        { label: 'Runs', of: ({ run_count }) => run_count },
        { label: 'Last run', of: ({ last_run_at }) => <Time at={last_run_at} /> },
        {
          label: '',
          of: ({ uuid, name, is_active }, { reload }) => (
            <span class="actions">
              <Action
                label={`Run ${name} now`}
                done="The workflow has run: its log says how."
                work={() =>
                  call('POST', '/v1/bot/workflow/run', { bot_id: botId.value, workflow_id: uuid }).finally(
                    reload,
                  )
                }
              >
                Run
              </Action>
              <Action
                label={`${is_active ? 'Switch off' : 'Switch on'} ${name}`}
                done={is_active ? 'The workflow is off.' : 'The workflow is on.'}
                work={() => change(uuid, { is_active: !is_active }).finally(reload)}
              >
                {is_active ? 'Switch off' : 'Switch on'}
              </Action>
              <Removal
                label={`Delete ${name}`}
                done="The workflow was deleted."
                work={async () => {
                  await call('DELETE', '/v1/bot/workflow/delete', { bot_id: botId.value, workflow_id: uuid });
                  if (open?.uuid === uuid) setOpen(undefined);
                  reload();
                }}
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
          <Creation reload={reload} />
          {open && (
            <Panel key={open.uuid} title={open.name} close={() => setOpen(undefined)}>
              {open.trigger_type === 'webhook' && (
                <p>
                  Send JSON to{' '}
                  <code>
                    {location.origin}/v1/bot/workflow/incoming/{open.uuid}/{open.trigger_config.secret}
                  </code>
                </p>
              )}
              <pre>{JSON.stringify({ conditions: open.conditions, actions: open.actions }, null, 2)}</pre>
              <List
                key={data.workflows.find(({ uuid }: Answer) => uuid === open.uuid)?.run_count}
                name={`Runs of ${open.name}`}
                path="/v1/bot/workflow/logs"
                list="logs"
                input={{ workflow_id: open.uuid }}
                empty="It has not run yet."
                columns={[
                  { label: 'At', of: ({ created_at }) => <Time at={created_at} /> },
                  { label: 'Begun by', of: ({ trigger }) => trigger },
                  { label: 'State', of: ({ status }) => <State>{status}</State> },
                  {
                    label: 'Steps',
                    of: ({ actions, error }) => (
                      <>
                        {actions.map((step: Answer, index: number) => (
                          <small key={`${index} ${step.type}`}>
                            {step.type}: {step.error ?? step.status}
                          </small>
                        ))}
                        {actions.length === 0 && error}
                      </>
                    ),
                  },
                ]}
              />
            </Panel>
          )}
        </>
      )}
    </List>
  );
}

/** What it does is written as the API takes it. */
function Creation({ reload }: { reload(): void }) {
  const { data: catalog } = useLoad('/v1/bot/workflow/catalog');
  const [type, setType] = useState('event');
  if (!catalog) return null;
  const events: string[] = catalog.triggers.find((one: Answer) => one.type === 'event').events;
  const example = JSON.stringify([{ type: 'add_memory', title: '{{name}}', content: '{{event}}' }], null, 2);
  return (
    <New
      title="New workflow"
      done="The workflow was created."
      work={async ({ name, trigger_type, trigger_event, actions = '' }) => {
        const trigger = trigger_type === 'event' ? { trigger_type, trigger_event } : { trigger_type };
        const input = { bot_id: botId.value, name, ...trigger, actions: JSON.parse(actions) };
        await call('POST', '/v1/bot/workflow/create', input);
        reload();
      }}
    >
      <label>
        Name <input name="name" required maxLength={200} />
      </label>
      <label>
        Begins with
        <select name="trigger_type" value={type} onChange={(event) => setType(event.currentTarget.value)}>
          <option value="event">an event</option>
          <option value="webhook">a call from elsewhere</option>
          <option value="manual">a press of Run</option>
        </select>
      </label>
      {type === 'event' && (
        <label>
          Event
          <select name="trigger_event">
            {events.map((event) => (
              <option key={event}>{event}</option>
            ))}
          </select>
        </label>
      )}
      <label>
        Actions, as JSON: {catalog.actions.map((one: Answer) => one.type).join(', ')}
        <textarea name="actions" rows={6} required defaultValue={example} />
      </label>
    </New>
  );
}

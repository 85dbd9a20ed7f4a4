/** What an agent does by itself, when it will next, and what came of it. */

import { useState } from 'preact/hooks';
import { type Answer, call } from '../api.ts';
import { List, latest, State, Time, toName } from '../list.tsx';
import { Panel } from '../panel.tsx';
import { Action, Managed, New, onlyChanged, Removal } from '../parts.tsx';
import { readSchedule, Schedule, toWhen } from '../schedule.tsx';
import { botId } from '../state.ts';

export function Tasks() {
  const [open, setOpen] = useState<Answer>(undefined);
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
          of: (task) => (
            <button type="button" class="link" dir="auto" onClick={() => setOpen(task)}>
              {toName(task.name)}
            </button>
          ),
        },
        {
          label: 'When',
          of: (task) => (
            <>
              {toWhen(task)}
              <small>{task.timezone}</small>
            </>
          ),
        },
        {
          label: 'State',
          of: ({ enabled, paused_reason }) => (
            <>
              <State>{enabled ? 'on' : 'off'}</State>
              {paused_reason && <small>{paused_reason.replaceAll('_', ' ')}</small>}
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
                label={`Run ${toName(name)} now`}
                done="The task has run: its log says how."
                work={() => act('trigger', uuid).finally(reload)}
              >
                Run
              </Action>
              <Managed>
                <Action
                  label={`${enabled ? 'Switch off' : 'Switch on'} ${toName(name)}`}
                  done={enabled ? 'The task is off.' : 'The task is on.'}
                  work={() => act(enabled ? 'disable' : 'enable', uuid).finally(reload)}
                >
                  {enabled ? 'Switch off' : 'Switch on'}
                </Action>
                <Removal
                  label={`Delete ${toName(name)}`}
                  done="The task was deleted."
                  work={async () => {
                    await act('delete', uuid);
                    setOpen((now: Answer) => (now?.uuid === uuid ? undefined : now));
                    reload();
                  }}
                >
                  Delete
                </Removal>
              </Managed>
            </span>
          ),
        },
      ]}
    >
      {({ data, reload }) => (
        <>
          <Managed>
            <New
              title="New task"
              done="The task was created."
              work={(fields) =>
                call('POST', '/v1/bot/tasks/create', { bot_id: botId.value, ...toInput(fields) }).finally(
                  reload,
                )
              }
            >
              <Fields />
            </New>
          </Managed>
          {open && (
            <TaskPanel
              key={open.uuid}
              task={latest(open, data.tasks)}
              changed={(task) => {
                setOpen(task);
                reload();
              }}
              close={() => setOpen(undefined)}
            />
          )}
        </>
      )}
    </List>
  );
}

interface PanelProps {
  task: Answer;
  changed(task: Answer): void;
  close(): void;
}

function TaskPanel({ task, changed, close }: PanelProps) {
  return (
    <Panel title={toName(task.name)} close={close}>
      <p class="said" dir="auto">
        {task.prompt}
      </p>
      <Managed>
        <New
          version={task.updated_at}
          title="Change"
          done="Saved."
          submit="Save"
          work={async (fields, begun) => {
            const all = toInput(fields, task);
            const touched = onlyChanged(all, toInput(begun, task));
            // A day of one schedule and the hour of another would be one that nobody meant.
            const isMoved = ['schedule_type', 'schedule_config', 'timezone'].some((name) => name in touched);
            const { schedule_type, schedule_config, timezone } = all;
            const schedule = isMoved ? { schedule_type, schedule_config, timezone } : {};
            const input = { bot_id: botId.value, task_id: task.uuid, ...touched, ...schedule };
            changed((await call('PUT', '/v1/bot/tasks/update', input)).task);
          }}
        >
          <Fields of={task} />
        </New>
      </Managed>
      <h3>Runs</h3>
      <List
        key={task.execution_count}
        name={`Runs of ${task.name}`}
        path="/v1/bot/tasks/logs"
        list="logs"
        input={{ task_id: task.uuid }}
        empty="It has not run yet."
        columns={[
          { label: 'At', of: ({ created_at }) => <Time at={created_at} /> },
          { label: 'State', of: ({ status }) => <State>{status}</State> },
          { label: 'Reason', of: ({ reason }) => reason },
          { label: 'Credits', of: ({ credits_used }) => credits_used },
        ]}
      />
    </Panel>
  );
}

function Fields({ of }: { of?: Answer }) {
  return (
    <>
      <label>
        What the agent is asked
        <textarea name="prompt" rows={4} required maxLength={20_000} defaultValue={of?.prompt} />
      </label>
      <label>
        Name
        <input
          name="name"
          maxLength={200}
          required={of !== undefined}
          placeholder="How the question begins"
          defaultValue={of?.name}
        />
      </label>
      <Schedule {...(of && { of })} />
      <fieldset>
        <legend>Only between (may be empty)</legend>
        <label>
          From <input type="time" name="active_hours_start" defaultValue={of?.active_hours_start} />
        </label>
        <label>
          Until <input type="time" name="active_hours_end" defaultValue={of?.active_hours_end} />
        </label>
      </fieldset>
      <label>
        Ends after so many runs (may be empty)
        <input type="number" name="max_executions" min={1} defaultValue={of?.max_executions} />
      </label>
    </>
  );
}

/** As the API takes it. A name that is empty is left to the service. */
function toInput(fields: Record<string, string>, before?: Answer) {
  const { prompt, name, active_hours_start, active_hours_end, max_executions } = fields;
  return {
    prompt,
    ...(name && { name }),
    ...readSchedule(fields, before),
    active_hours_start: active_hours_start || null,
    active_hours_end: active_hours_end || null,
    max_executions: max_executions ? Number(max_executions) : null,
  };
}

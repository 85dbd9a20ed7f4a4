/** Workflows, and each of their runs step by step. */

import { useState } from 'preact/hooks';
import { type Answer, call } from '../api.ts';
import { List, latest, State, Time, toName } from '../list.tsx';
import { useLoad } from '../load.ts';
import { Panel } from '../panel.tsx';
import { Action, Managed, New, onlyChanged, Removal, Waiting } from '../parts.tsx';
import { toWhen } from '../schedule.tsx';
import { botId } from '../state.ts';
import { WorkflowFields, WorkflowSummary } from '../workflow-form.tsx';
import { readWorkflow } from '../workflow-input.ts';

const beginnings: Readonly<Record<string, string>> = {
  webhook: 'a call from elsewhere',
  manual: 'a press of Run',
};

function Beginning({ of: { trigger_type, trigger_event, trigger_config: config } }: { of: Answer }) {
  if (trigger_type !== 'schedule') return trigger_event ?? beginnings[trigger_type];
  return (
    <>
      {toWhen(config)}
      <small>{config.timezone}</small>
    </>
  );
}

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
            <button type="button" class="link" dir="auto" onClick={() => setOpen(workflow)}>
              {toName(workflow.name)}
            </button>
          ),
        },
        {
          label: 'Begins with',
          of: (workflow) => <Beginning of={workflow} />,
        },
        { label: 'State', of: ({ status }) => <State>{status}</State> },
        { label: 'Runs', of: ({ run_count }) => run_count },
        { label: 'Last run', of: ({ last_run_at }) => <Time at={last_run_at} /> },
        {
          label: '',
          of: ({ uuid, name, is_active }, { reload }) => (
            <span class="actions">
              <Action
                label={`Run ${toName(name)} now`}
                done="The workflow has run: its log says how."
                work={() =>
                  call('POST', '/v1/bot/workflow/run', { bot_id: botId.value, workflow_id: uuid }).finally(
                    reload,
                  )
                }
              >
                Run
              </Action>
              <Managed>
                <Action
                  label={`${is_active ? 'Switch off' : 'Switch on'} ${toName(name)}`}
                  done={is_active ? 'The workflow is off.' : 'The workflow is on.'}
                  work={() => change(uuid, { is_active: !is_active }).finally(reload)}
                >
                  {is_active ? 'Switch off' : 'Switch on'}
                </Action>
                <Removal
                  label={`Delete ${toName(name)}`}
                  done="The workflow was deleted."
                  work={async () => {
                    await call('DELETE', '/v1/bot/workflow/delete', {
                      bot_id: botId.value,
                      workflow_id: uuid,
                    });
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
            <Change title="New workflow" done="The workflow was created." method="POST" changed={reload} />
          </Managed>
          {open && (
            <WorkflowPanel
              key={open.uuid}
              workflow={latest(open, data.workflows)}
              changed={(workflow) => {
                setOpen(workflow);
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

interface ChangeProps {
  title: string;
  done: string;
  method: 'POST' | 'PUT';
  of?: Answer;
  changed(workflow: Answer): void;
}

function Change({ title, done, method, of, changed }: ChangeProps) {
  const { data: catalog, error, reload } = useLoad('/v1/bot/workflow/catalog');
  if (!catalog) return <Waiting error={error} reload={reload} />;
  return (
    <New
      version={of?.updated_at}
      title={title}
      done={done}
      submit={of ? 'Save' : 'Create'}
      work={async (fields, begun) => {
        const written = readWorkflow(fields, of);
        const input = {
          bot_id: botId.value,
          ...(of ? { workflow_id: of.uuid, ...onlyChanged(written, readWorkflow(begun, of)) } : written),
        };
        const { workflow } = await call(method, `/v1/bot/workflow/${of ? 'update' : 'create'}`, input);
        changed(workflow);
      }}
    >
      <WorkflowFields catalog={catalog} {...(of && { of })} />
    </New>
  );
}

interface PanelProps {
  workflow: Answer;
  changed(workflow: Answer): void;
  close(): void;
}

function WorkflowPanel({ workflow, changed, close }: PanelProps) {
  return (
    <Panel title={toName(workflow.name)} close={close}>
      {workflow.trigger_type === 'webhook' && (
        <p>
          Send JSON to{' '}
          <code>
            {location.origin}/v1/bot/workflow/incoming/{workflow.uuid}/{workflow.trigger_config.secret}
          </code>
        </p>
      )}
      <h3>Begins with</h3>
      <p>
        <Beginning of={workflow} />
      </p>
      <WorkflowSummary of={workflow} />
      <Managed>
        <Change title="Change" done="Saved." method="PUT" of={workflow} changed={changed} />
      </Managed>
      <h3>Runs</h3>
      <List
        key={workflow.run_count}
        name={`Runs of ${workflow.name}`}
        path="/v1/bot/workflow/logs"
        list="logs"
        input={{ workflow_id: workflow.uuid }}
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
  );
}

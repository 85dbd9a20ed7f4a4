/** API keys: made, shown once, changed, taken back; and what the plan allows. */

import { useEffect, useRef } from 'preact/hooks';
import { call, keepKey, readKey, replaceKey } from '../api.ts';
import { List, Time } from '../list.tsx';
import { useLoad } from '../load.ts';
import { focusOn, New, Removal, Waiting } from '../parts.tsx';
import { madeKeys } from '../state.ts';

/** What is counted against a limit, and what is a limit alone. */
const counted = [
  ['Requests today', 'requests_today', 'requests_per_day'],
  ['Agents', 'agents', 'agents'],
  ['Workspaces', 'dashboard_workspaces', 'dashboard_workspaces'],
  ['Workspaces of conversations', 'service_workspaces', 'service_workspaces'],
] as const;
const alone = [
  ['Requests a minute', 'requests_per_minute'],
  ['Tasks of an agent', 'tasks_per_agent'],
  ['Least seconds between two runs of a task', 'min_task_interval_seconds'],
  ['Workflows of an agent', 'workflows_per_agent'],
  ['Files of a workspace', 'files_per_workspace'],
] as const;
const toNumber = (value: number | null) => (value === null ? 'no limit' : value.toLocaleString());

function Plan() {
  const { data, error, reload } = useLoad('/v1/plan');
  if (!data) return <Waiting error={error} reload={reload} />;
  const { plan, usage, limits } = data;
  return (
    <section class="part">
      <h2>Plan: {plan}</h2>
      <dl class="facts">
        {counted.map(([label, used, limit]) => (
          <div key={label}>
            <dt>
              {label}, of {toNumber(limits[limit])}
            </dt>
            <dd>{toNumber(usage[used])}</dd>
          </div>
        ))}
        <div>
          <dt>Credits left, of all agents</dt>
          <dd>{toNumber(usage.credits)}</dd>
        </div>
      </dl>
      <h3>Limits</h3>
      <dl class="facts">
        {alone.map(([label, limit]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{toNumber(limits[limit])}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Whoever deletes it ends what is done here: it is replaced instead. */
const isUsedHere = (prefix: string) => readKey()?.startsWith(prefix) === true;

/** Runs a call that answers with a key, which is shown to who asked for it and to nobody who comes after. */
async function makeKey(path: string, input: object = {}): Promise<{ key: string; isMine: boolean }> {
  const by = readKey();
  const { key } = await call('POST', path, { ...input });
  const isMine = readKey() === by;
  if (isMine) madeKeys.value = [...madeKeys.value, key];
  return { key, isMine };
}

function Made({ made }: { made: string }) {
  const place = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' });
    // Who types stays there.
    if (!document.activeElement?.matches('input, textarea, select')) place.current?.focus();
  }, []);
  return (
    <p class="made" role="status" tabIndex={-1} ref={place}>
      <span>
        The new key, which is not shown again: <code>{made}</code>
      </span>
      <button
        type="button"
        onClick={({ detail }) => {
          // The next one moves up to where this was.
          if (detail > 1) return;
          madeKeys.value = madeKeys.value.filter((one) => one !== made);
          focusOn(null);
        }}
      >
        Done
      </button>
    </p>
  );
}

export function Keys() {
  return (
    <>
      {madeKeys.value.map((key) => (
        <Made key={key} made={key} />
      ))}
      <List
        name="Keys"
        path="/v1/keys"
        list="keys"
        empty="No keys yet."
        columns={[
          {
            label: 'Name',
            of: ({ name, configured }) =>
              configured ? <span class="faint">from the environment</span> : <bdi>{name}</bdi>,
          },
          { label: 'Role', of: ({ role }) => role },
          { label: 'Begins with', of: ({ prefix }) => <code>{prefix}</code> },
          { label: 'Last used', of: ({ last_used_at }) => <Time at={last_used_at} /> },
          {
            label: '',
            of: ({ id, name, prefix, configured }, { reload }) =>
              !configured && (
                <span class="actions">
                  <Removal
                    label={`Replace ${name}`}
                    // The new key says it, in a place that nothing else covers.
                    done=""
                    work={() =>
                      replaceKey(async () => {
                        const { key, isMine } = await makeKey(`/v1/keys/${id}/rotate`);
                        // It may be the one that this desk is used with.
                        if (isMine && isUsedHere(prefix)) keepKey(key);
                      }).then(reload)
                    }
                  >
                    Replace
                  </Removal>
                  {isUsedHere(prefix) ? (
                    <small>in use here</small>
                  ) : (
                    <Removal
                      label={`Delete ${name}`}
                      done="The key was deleted."
                      work={() => call('DELETE', `/v1/keys/${id}`).finally(reload)}
                    >
                      Delete
                    </Removal>
                  )}
                </span>
              ),
          },
        ]}
      >
        {({ reload }) => (
          <New
            title="New key"
            done=""
            work={async ({ name, role }) => {
              await makeKey('/v1/keys', { name, role });
              reload();
            }}
          >
            <label>
              Name <input name="name" required maxLength={100} />
            </label>
            <label>
              Role
              <select name="role">
                <option>member</option>
                <option>moderator</option>
                <option>admin</option>
                <option>owner</option>
              </select>
            </label>
          </New>
        )}
      </List>
      <Plan />
    </>
  );
}

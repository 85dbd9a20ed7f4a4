/** API keys: made, shown once, changed, taken back; and what the plan allows. */

import { useState } from 'preact/hooks';
import { call, keepKey, readKey } from '../api.ts';
import { List, Time } from '../list.tsx';
import { useLoad } from '../load.ts';
import { New, Removal } from '../parts.tsx';

function toText(value: unknown): string {
  if (value === null) return 'no limit';
  if (typeof value === 'object') return Object.values(value as object).join(' / ');
  return typeof value === 'number' ? value.toLocaleString() : String(value);
}

export function Keys() {
  const [made, setMade] = useState('');
  const { data: plan } = useLoad('/v1/plan');
  return (
    <>
      {made !== '' && (
        <p class="notice" role="status">
          The new key, which is not shown again: <code>{made}</code>
        </p>
      )}
      <List
        name="Keys"
        path="/v1/keys"
        list="keys"
        empty="No keys yet."
        columns={[
          { label: 'Name', of: ({ name }) => name },
          { label: 'Role', of: ({ role }) => role },
          { label: 'Begins with', of: ({ prefix }) => <code>{prefix}</code> },
          { label: 'Last used', of: ({ last_used_at }) => <Time at={last_used_at} /> },
          {
            label: '',
            of: ({ id, name, prefix, configured }, { reload }) =>
              configured ? (
                <span class="faint">from the environment</span>
              ) : (
                <span class="actions">
                  <Removal
                    label={`Replace ${name}`}
                    done="The key was replaced: the old one is not taken any more."
                    work={async () => {
                      const { key } = await call('POST', `/v1/keys/${id}/rotate`);
                      // It may be the one that this desk is used with.
                      if (readKey()?.startsWith(prefix)) keepKey(key);
                      setMade(key);
                      reload();
                    }}
                  >
                    Replace
                  </Removal>
                  <Removal
                    label={`Delete ${name}`}
                    done="The key was deleted."
                    work={() => call('DELETE', `/v1/keys/${id}`).finally(reload)}
                  >
                    Delete
                  </Removal>
                </span>
              ),
          },
        ]}
      >
        {({ reload }) => (
          <New
            title="New key"
            done="The key was made."
            work={async ({ name, role }) => {
              const { key } = await call('POST', '/v1/keys', { name, role });
              setMade(key);
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
      {plan && (
        <section class="part">
          <h2>Plan: {plan.plan}</h2>
          <dl class="facts">
            {[...Object.entries(plan.usage), ...Object.entries(plan.limits)].map(([name, value]) => (
              <div key={name}>
                <dt>{name.replaceAll('_', ' ')}</dt>
                <dd>{toText(value)}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </>
  );
}

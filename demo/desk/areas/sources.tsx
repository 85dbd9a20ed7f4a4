/** What an agent knows: its sources, with how far each is read. */

import { call } from '../api.ts';
import { List, State, Time } from '../list.tsx';
import { Action, Managed, New, Removal } from '../parts.tsx';
import { botId } from '../state.ts';

const toState = (status: string) => (status === 'processing' ? 'reading' : status);

export function Sources() {
  return (
    <List
      name="Sources"
      path="/v1/bot/source/readall"
      list="sources"
      empty="No sources yet: the agent knows nothing."
      isChanging={({ status }) => status === 'processing'}
      columns={[
        {
          label: 'Title',
          of: ({ title, source, type }) => (
            <>
              <bdi>{title}</bdi>
              {type !== 'text' && <small>{[source].flat().join(', ')}</small>}
            </>
          ),
        },
        { label: 'Kind', of: ({ type }) => type },
        {
          label: 'State',
          of: ({ status, error, pages_read }) => (
            <>
              <State>{toState(status)}</State>
              {pages_read > 0 && <small>{pages_read} pages so far</small>}
              {error && <small class="wrong">{error}</small>}
            </>
          ),
        },
        { label: 'Passages', of: ({ passages }) => passages },
        { label: 'Read', of: ({ synced_at, updated_at }) => <Time at={synced_at ?? updated_at} /> },
        {
          label: '',
          of: ({ uuid, title, type, source }, { reload }) => (
            <Managed>
              <span class="actions">
                {type !== 'text' && (
                  <Action
                    label={`Read again: ${title}`}
                    done="It is being read again."
                    work={() =>
                      call('PUT', '/v1/bot/source/update', {
                        bot_id: botId.value,
                        source_id: uuid,
                        source,
                      }).finally(reload)
                    }
                  >
                    Read again
                  </Action>
                )}
                <Removal
                  label={`Delete ${title}`}
                  done="The source was deleted."
                  work={async () => {
                    await call('DELETE', '/v1/bot/source/delete', { bot_id: botId.value, source_id: uuid });
                    reload();
                  }}
                >
                  Delete
                </Removal>
              </span>
            </Managed>
          ),
        },
      ]}
    >
      {({ reload }) => (
        <Managed>
          <New
            title="New address"
            done="The address is being read."
            work={async ({ type, source }) => {
              await call('POST', '/v1/bot/source/create', { bot_id: botId.value, type, source });
              reload();
            }}
          >
            <label>
              Kind
              <select name="type">
                <option value="website">Whole website</option>
                <option value="webpage">One page</option>
                <option value="file">File</option>
              </select>
            </label>
            <label>
              Address <input type="url" name="source" required placeholder="https://" />
            </label>
          </New>
          <New
            title="New text"
            done="The text was added."
            work={async ({ title, source }) => {
              await call('POST', '/v1/bot/source/create', {
                bot_id: botId.value,
                type: 'text',
                title,
                source,
              });
              reload();
            }}
          >
            <label>
              Title <input name="title" required maxLength={300} />
            </label>
            <label>
              Text <textarea name="source" rows={6} required />
            </label>
          </New>
        </Managed>
      )}
    </List>
  );
}

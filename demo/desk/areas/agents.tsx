/** The project's agents: chosen, made, deleted. */

import { call } from '../api.ts';
import { List, State, Time } from '../list.tsx';
import { focusOn, New, Removal } from '../parts.tsx';
import { botId, chooseBot, forgetDraft, leaveIfRefused, loadBots } from '../state.ts';
import { mayLeave } from '../written.ts';

export function Agents() {
  return (
    <List
      name="Agents"
      path="/v1/bots"
      list="bots"
      empty="No agents yet."
      columns={[
        {
          label: 'Name',
          of: ({ id, name }) =>
            id === botId.value ? (
              <>
                <b dir="auto">{name}</b> <small>on the desk</small>
              </>
            ) : (
              <button
                type="button"
                class="link"
                dir="auto"
                onClick={() => {
                  if (!mayLeave()) return;
                  chooseBot(id);
                  focusOn(null);
                  void loadBots().catch(leaveIfRefused);
                }}
              >
                {name}
              </button>
            ),
        },
        { label: 'Id', of: ({ id }) => <code>{id}</code> },
        { label: 'State', of: ({ status }) => <State>{status === 1 ? 'on' : 'off'}</State> },
        { label: 'Since', of: ({ created_at }) => <Time at={created_at} /> },
        {
          label: '',
          of: ({ id, name }, { reload }) => (
            <Removal
              label={`Delete ${name} with all that it has`}
              done="The agent was deleted."
              work={async () => {
                await call('DELETE', '/v1/bot/delete', { bot_id: id });
                forgetDraft(id);
                // Another one is no surprise then.
                if (id === botId.value) chooseBot('');
                reload();
                void loadBots().catch(leaveIfRefused);
              }}
            >
              Delete
            </Removal>
          ),
        },
      ]}
    >
      {({ reload }) => (
        <New
          title="New agent"
          done="The agent was created."
          work={async ({ name, instruction }) => {
            await call('POST', '/v1/bot/create', { name, instruction });
            reload();
            void loadBots().catch(leaveIfRefused);
          }}
        >
          <label>
            Name <input name="name" required maxLength={100} />
          </label>
          <label>
            Instruction <textarea name="instruction" rows={4} maxLength={20_000} />
          </label>
        </New>
      )}
    </List>
  );
}

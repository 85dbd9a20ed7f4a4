/** Who signed in, wrote or left a contact, and what the agent remembers of them. */

import { call } from '../api.ts';
import { List, Time } from '../list.tsx';
import { Removal } from '../parts.tsx';
import { botId } from '../state.ts';

export function People() {
  return (
    <>
      <List
        name="People"
        path="/v1/bot/subscriber/readall"
        list="subscribers"
        empty="Nobody yet."
        columns={[
          { label: 'E-mail', of: ({ email }) => email ?? <span class="faint">none</span> },
          { label: 'Name', of: ({ name }) => <bdi>{name ?? <span class="faint">none</span>}</bdi> },
          { label: 'Kind', of: ({ type }) => type },
          { label: 'Since', of: ({ subscribed_at }) => <Time at={subscribed_at} /> },
        ]}
      />
      <h2>What the agent remembers of them</h2>
      <List
        name="What the agent remembers"
        path="/v1/bot/memory/readall"
        list="memories"
        empty="Nothing."
        columns={[
          { label: 'What', of: ({ content }) => <bdi>{content}</bdi> },
          { label: 'Of', of: ({ user }) => <bdi>{user.name ?? user.email ?? user.uuid}</bdi> },
          { label: 'Kind', of: ({ type }) => type },
          { label: 'Since', of: ({ created_at }) => <Time at={created_at} /> },
          {
            label: '',
            of: ({ uuid, content }, { reload }) => (
              <Removal
                label={`Forget: ${content}`}
                done="It is forgotten."
                work={() => call('DELETE', `/v1/bot/memory/${uuid}`, { bot_id: botId.value }).finally(reload)}
              >
                Forget
              </Removal>
            ),
          },
        ]}
      />
    </>
  );
}

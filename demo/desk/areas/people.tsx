/** Who signed in, wrote, or left a contact. */

import { List, Time } from '../list.tsx';

export function People() {
  return (
    <List
      name="People"
      path="/v1/bot/subscriber/readall"
      list="subscribers"
      empty="Nobody yet."
      columns={[
        { label: 'E-mail', of: ({ email }) => email },
        { label: 'Name', of: ({ name }) => name ?? <span class="faint">none</span> },
        { label: 'Since', of: ({ subscribed_at }) => <Time at={subscribed_at} /> },
      ]}
    />
  );
}

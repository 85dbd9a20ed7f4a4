/** What the webhook's receiver was told, and telling it again. */

import { call } from '../api.ts';
import { List, State, Time } from '../list.tsx';
import { Action } from '../parts.tsx';

export function Deliveries() {
  return (
    <List
      name="Webhook deliveries"
      path="/v1/webhooks/deliveries"
      list="deliveries"
      empty="Nothing was told yet. AGENT_WEBHOOK_URL names the receiver."
      isChanging={({ status }) => status === 'pending'}
      columns={[
        { label: 'Event', of: ({ event }) => event },
        {
          label: 'State',
          of: ({ status, last_error }) => (
            <>
              <State>{status}</State>
              {last_error && <small class="wrong">{last_error}</small>}
            </>
          ),
        },
        { label: 'Attempts', of: ({ attempts }) => attempts },
        { label: 'Made', of: ({ created_at }) => <Time at={created_at} /> },
        { label: 'Delivered', of: ({ delivered_at }) => <Time at={delivered_at} /> },
        {
          label: '',
          of: ({ id, event }, { reload }) => (
            <Action
              label={`Send again: ${event}`}
              done="It is sent again."
              work={() => call('POST', `/v1/webhooks/deliveries/${id}/resend`).finally(reload)}
            >
              Send again
            </Action>
          ),
        },
      ]}
    />
  );
}

/** What an agent is called, how it answers, how its chat looks. */

import { call } from '../api.ts';
import { useLoad } from '../load.ts';
import { act, botId, loadBots } from '../state.ts';

export function Settings() {
  const { data, error, reload } = useLoad('/v1/bot/read');
  if (!data) return <p class={error ? 'wrong' : 'faint'}>{error ?? 'Loading'}</p>;
  const { bot } = data;
  return (
    <form
      class="settings"
      key={bot.updated_at}
      onSubmit={async (event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        const text = (name: string) => String(fields.get(name));
        const starters = text('conversation_starters')
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '');
        const isSaved = await act('Saved.', () =>
          call('PUT', '/v1/bot/update', {
            bot_id: botId.value,
            name: text('name'),
            instruction: text('instruction'),
            status: fields.has('status') ? 1 : 0,
            require_login: fields.has('require_login'),
            branding: {
              accent_color: text('accent_color'),
              placeholder: text('placeholder'),
              tagline: text('tagline'),
              conversation_starters: starters,
            },
          }),
        );
        if (isSaved) {
          reload();
          await act('Saved.', loadBots);
        }
      }}
    >
      <label>
        Name <input name="name" required maxLength={100} defaultValue={bot.name} />
      </label>
      <label>
        Instruction <textarea name="instruction" rows={5} defaultValue={bot.instruction} />
      </label>
      <label class="switch">
        <input type="checkbox" name="status" defaultChecked={bot.status === 1} />
        Answers
      </label>
      <label class="switch">
        <input type="checkbox" name="require_login" defaultChecked={bot.require_login} />
        Answers signed-in visitors only
      </label>
      <h2>Chat</h2>
      <label>
        Colour <input type="color" name="accent_color" defaultValue={bot.branding.accent_color} />
      </label>
      <label>
        Tagline <input name="tagline" maxLength={300} defaultValue={bot.branding.tagline} />
      </label>
      <label>
        Text in the empty field
        <input name="placeholder" maxLength={200} defaultValue={bot.branding.placeholder} />
      </label>
      <label>
        Starters, one a line
        <textarea
          name="conversation_starters"
          rows={4}
          defaultValue={bot.branding.conversation_starters.join('\n')}
        />
      </label>
      <button type="submit">Save</button>
    </form>
  );
}

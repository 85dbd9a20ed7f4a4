/** Above the closed dock while it has the focus: the way back into the conversation, or the agent's starters. */
import { useChat } from './context.ts';

export function Suggestions() {
  const { panel, conversation, open, t } = useChat();
  const starters = panel.session.value?.agent.starters ?? [];
  if (conversation.entries.value.length > 0)
    return (
      <div class="suggestions">
        <button type="button" onClick={open}>
          {t('back')}
        </button>
      </div>
    );
  if (starters.length === 0) return null;
  return (
    <div class="suggestions">
      {starters.map((starter) => (
        <button type="button" key={starter} onClick={() => conversation.send(starter)}>
          {starter}
        </button>
      ))}
    </div>
  );
}

/** What a visitor may ask first: in the empty conversation, and above the closed dock while it has the focus. */
import { useChat } from './context.ts';

export function Starters() {
  const { panel, conversation, rest } = useChat();
  return panel.session.value?.agent.starters.map((starter) => (
    <button
      type="button"
      dir="auto"
      key={starter}
      onClick={() => {
        rest();
        conversation.send(starter);
      }}
    >
      {starter}
    </button>
  ));
}

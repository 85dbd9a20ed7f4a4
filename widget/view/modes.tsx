/**
 * In the composer, where the site allows more than one: how thoroughly the agent is to think, which is kept, and for project
 * members what it may do in this conversation.
 */
import { useEffect } from 'preact/hooks';
import type { ChatMode } from '../../server-helper/protocol/wire.ts';
import { readMode } from '../state/mode.ts';
import { words } from '../strings/en/modes.ts';
import type { StringKey } from '../strings/en.ts';
import css from '../styles/modes.css?inline';
import { useChat } from './context.ts';

export { css, words };

function Choice<Mode extends string>(props: {
  label: 'mode' | 'may';
  modes: readonly Mode[];
  value: Mode | undefined;
  onChoose: (mode: Mode) => void;
}) {
  const { strings, t } = useChat();
  const label = t(props.label);
  return (
    <select
      class="modes"
      aria-label={label}
      title={label}
      value={props.value}
      onChange={({ currentTarget }) => props.onChoose(currentTarget.value as Mode)}
    >
      {props.modes.map((mode) => (
        <option key={mode} value={mode}>
          {/* A newer helper may know more. */ strings.value[mode as StringKey] ? t(mode as StringKey) : mode}
        </option>
      ))}
    </select>
  );
}

function ChatModes({ modes }: { modes: readonly ChatMode[] }) {
  const { told, chosen } = useChat().conversation;
  // Who is no member any more has chosen nothing.
  useEffect(
    () => () => {
      chosen.value = undefined;
    },
    [],
  );
  return (
    <Choice
      label="may"
      modes={modes}
      value={chosen.value?.mode ?? told.value?.mode ?? modes[0]}
      onChoose={(mode) => {
        chosen.value = { mode };
      }}
    />
  );
}

export default function Modes() {
  const { panel, memory } = useChat();
  const { reasoningModes = [], chatModes = [] } = panel.session.value?.allowed ?? {};
  const mode = readMode(panel);
  return (
    <>
      {chatModes.length > 1 && <ChatModes modes={chatModes} />}
      {mode && (
        <Choice
          label="mode"
          modes={reasoningModes}
          value={mode}
          onChoose={(mode) => {
            panel.mode.value = mode;
            memory.change({ mode });
          }}
        />
      )}
    </>
  );
}

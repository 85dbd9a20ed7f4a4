/** In the composer, where the site allows more than one: how thoroughly the agent is to think. It is kept. */
import { useSignal } from '@preact/signals';
import type { ReasoningMode } from '../../server-helper/protocol/wire.ts';
import { readMode } from '../state/mode.ts';
import { words } from '../strings/en/modes.ts';
import css from '../styles/modes.css?inline';
import { useChat } from './context.ts';

export { css, words };

export default function Modes() {
  const { panel, memory, t } = useChat();
  const session = panel.session.value;
  const chosen = useSignal(readMode(session, memory));
  return (
    <select
      class="modes"
      aria-label={t('mode')}
      title={t('mode')}
      value={chosen.value}
      onChange={({ currentTarget }) => {
        chosen.value = currentTarget.value as ReasoningMode;
        memory.change({ mode: chosen.value });
      }}
    >
      {session?.allowed.reasoningModes.map((mode) => (
        <option key={mode} value={mode}>
          {t(mode)}
        </option>
      ))}
    </select>
  );
}

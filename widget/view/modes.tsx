/** In the composer, where the site allows more than one: how thoroughly the agent is to think. It is kept. */
import { readMode } from '../state/mode.ts';
import { words } from '../strings/en/modes.ts';
import css from '../styles/modes.css?inline';
import { useChat } from './context.ts';

export { css, words };

export default function Modes() {
  const { panel, memory, strings, t } = useChat();
  return (
    <select
      class="modes"
      aria-label={t('mode')}
      title={t('mode')}
      value={readMode(panel)}
      onChange={({ currentTarget }) => {
        panel.mode.value = currentTarget.value;
        memory.change({ mode: currentTarget.value });
      }}
    >
      {panel.session.value?.allowed.reasoningModes.map((mode) => (
        <option key={mode} value={mode}>
          {/* A newer helper may know more. */ strings.value[mode] ? t(mode) : mode}
        </option>
      ))}
    </select>
  );
}

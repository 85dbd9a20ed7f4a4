/** How thoroughly the agent is to think, where its site lets the visitor choose. */
import type { ReasoningMode } from '../../server-helper/protocol/wire.ts';
import type { Panel } from './panel.ts';

/** @returns undefined where there is nothing to choose; else what was chosen, or what is offered first */
export function readMode({ session, mode }: Panel): ReasoningMode | undefined {
  const modes = session.value?.allowed.reasoningModes;
  return modes?.[1] && (modes.find((one) => one === mode.value) ?? modes[0]);
}

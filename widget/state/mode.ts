/** How thoroughly the agent is to think, where its site lets the visitor choose. */
import type { ReasoningMode } from '../../server-helper/protocol/wire.ts';
import type { SessionState } from '../transport/session.ts';
import type { Memory } from './memory.ts';

/** @returns undefined where there is nothing to choose; else what was chosen, or what is offered first */
export function readMode(session: SessionState | undefined, memory: Memory): ReasoningMode | undefined {
  const modes = session?.allowed.reasoningModes ?? [];
  const { mode } = memory.read();
  return modes.length > 1 ? (modes.find((one) => one === mode) ?? modes[0]) : undefined;
}

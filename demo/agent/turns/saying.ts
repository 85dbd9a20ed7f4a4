/** What an answer has said so far, and the port through which the answerer says it. */

import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { AnswerPort } from '../answer/answerer.ts';
import { AgentError } from '../errors.ts';
import type { CitedSource } from '../store/messages.ts';
import type { ExecutedTool } from '../store/pauses.ts';
import type { Tool, ToolOutcome, ToolParameters } from '../tools.ts';
import type { Reply } from './reply.ts';

const maxReplyLength = 512 * 1024;

export interface Saying {
  readonly port: AnswerPort;
  readonly text: string;
  readonly reasoning: string;
  readonly sources: CitedSource[];
  readonly executedTools: ExecutedTool[];
  /** Names of tools that run just now. */
  readonly runningTools: ReadonlySet<string>;
  /** Aborts with the turn, or when the reply grew too long; the reason is then an AgentError. */
  readonly signal: AbortSignal;
  runTool(tool: Tool, parameters: ToolParameters, executionId: string): Promise<ToolOutcome>;
}

/** A call of a tool that is over. */
export interface RanTool {
  execution_id: string;
  name: string;
  ok: boolean;
  duration_ms: number;
}

export function createSaying(
  reply: Reply,
  turnSignal: AbortSignal,
  earlierTools: readonly ExecutedTool[],
  now: () => number,
  onRan: (ran: RanTool) => void,
  onToolsRefused: () => void,
): Saying {
  const tooLong = new AbortController();
  const signal = AbortSignal.any([turnSignal, tooLong.signal]);
  // Each round of a model and each tool listens to it for as long as the turn takes.
  setMaxListeners(0, signal);
  const executedTools = [...earlierTools];
  const running = new Map<string, string>();
  let text = '';
  let reasoning = '';
  let sources: CitedSource[] = [];

  async function runTool(tool: Tool, parameters: ToolParameters, executionId: string) {
    const shown = { executionId, name: tool.name, title: tool.title, parameters };
    reply.push('tool', { ...shown, status: 'running' });
    const begunAt = now();
    running.set(executionId, tool.name);
    const outcome = await tool.run(parameters, signal).finally(() => running.delete(executionId));
    onRan({ execution_id: executionId, name: tool.name, ok: outcome.ok, duration_ms: now() - begunAt });
    const status = outcome.ok ? 'done' : 'failed';
    executedTools.push({ executionId, name: tool.name, parameters, status });
    if (!signal.aborted) reply.push('tool', { ...shown, status });
    return outcome;
  }

  return {
    signal,
    executedTools,
    get runningTools() {
      return new Set(running.values());
    },
    runTool,
    get text() {
      return text;
    },
    get reasoning() {
      return reasoning;
    },
    get sources() {
      return sources;
    },
    port: {
      delta(delta) {
        if (signal.aborted || delta === '') return;
        if (text.length + delta.length > maxReplyLength) {
          tooLong.abort(new AgentError(500, 'reply_too_long', 'The reply grew too long and was cut.'));
          return;
        }
        text += delta;
        reply.push('delta', { text: delta });
      },
      reasoning(delta) {
        if (signal.aborted || reasoning.length + delta.length > maxReplyLength) return;
        reasoning += delta;
        reply.push('reasoning', { text: delta });
      },
      sources(list) {
        if (signal.aborted) return;
        sources = list;
        reply.push('sources', { sources });
      },
      toolsRefused: onToolsRefused,
      runTool: (tool, parameters) => runTool(tool, parameters, `exec_${now()}_${randomUUID()}`),
    },
  };
}

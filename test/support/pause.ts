/** What the fake agent sends when a turn waits for the visitor, and after. */
import type { Script } from './fake-agent.ts';

export const executionId = 'exec_1763700000_0a1b2c3d-ef';

export function makePause(tool: {
  name: string;
  parameters: Record<string, unknown>;
}): Record<string, unknown> {
  return {
    type: 'tool_approval_required',
    requiresApproval: true,
    executionId,
    originalQuery: 'the original query',
    context: { thread: 'context-secret-1' },
    executedTools: [{ name: 'earlier_tool', result: 'executed-secret-1' }],
    tool: {
      server_label: 'label-secret-1',
      reasoning: 'reasoning-secret-1',
      description: 'Looks up the state of an order',
      ...tool,
    },
  };
}

/** Says `One moment. `, then waits for the visitor. @param from when it pauses; default at once */
export function pauseWith(pause: Record<string, unknown>, from?: Promise<void>): Script {
  return async (answer) => {
    answer.recordQuestion();
    answer.open();
    answer.event('delta', { text: 'One moment. ' });
    if (from) await from;
    answer.event('approval', pause);
    answer.end();
  };
}

export function resumeWith(text: string): Script {
  return (answer) => {
    answer.open();
    answer.event('delta', { text });
    const agent = answer.recordReply(`One moment. ${text}`);
    answer.event('done', { chat: { reply: agent.content, agent, sources: [] } });
    answer.end();
  };
}

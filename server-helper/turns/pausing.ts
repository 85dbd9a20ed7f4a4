/** What a paused turn waits for: its visitor's word, or a tool of the site's own, which runs here. */
import type { ChatDecision } from '../agent/chat.ts';
import type { AgentPause } from '../agent/frame.ts';
import { toStoredPause } from '../conversation/pause.ts';
import { HelperError } from '../errors.ts';
import type { ReadTool } from '../tools/option.ts';
import type { SiteTools, ToolResult } from '../tools/running.ts';
import type { RunContext, RunParts } from './context.ts';
import type { TurnRun } from './run.ts';
import type { ReadStanding } from './standing.ts';

/** An agent that asks for more in one turn goes round in circles. */
const mostTools = 20;

export type Pausing = {
  /** The agent waits. */
  onPause(run: TurnRun, pause: AgentPause): Promise<void>;
  /** The visitor has decided: the turn goes on. */
  goOn(run: TurnRun, pause: AgentPause, decision: ChatDecision): Promise<void>;
};

/** Nobody is asked to allow what nobody describes. */
function describe(pause: AgentPause, tool: ReadTool | undefined): AgentPause {
  const description = pause.tool.description || tool?.description;
  return description === undefined ? pause : { ...pause, tool: { ...pause.tool, description } };
}

export function createPausing(
  { store, chat, now }: RunContext,
  tools: SiteTools,
  parts: { close: RunParts['close']; readStanding: ReadStanding; isOurs: (run: TurnRun) => Promise<boolean> },
): Pausing {
  const { close, readStanding, isOurs } = parts;

  /** One call that the store did not answer is no reason to fail. */
  const readVisitor = ({ conversation }: TurnRun) =>
    tools.readVisitor(conversation).catch(() => tools.readVisitor(conversation));

  const submit = (run: TurnRun, pause: AgentPause, decision: ChatDecision) =>
    run.ask((sink) => chat.resume(run.conversation.chatId, pause, decision, sink));
  /** @returns undefined where the turn is another helper's, or nobody's, by now */
  const runTool = async (
    run: TurnRun,
    pause: AgentPause,
    tool: ReadTool,
    meanwhile?: Promise<unknown>,
  ): Promise<ToolResult | undefined> => {
    const { turn, conversation } = run;
    if (turn.decided.length > mostTools) {
      await run.fail(
        new HelperError('agent-unavailable', `The agent asked for more than ${mostTools} tools`),
      );
      return undefined;
    }
    const visitor = await readVisitor(run);
    if (!visitor || run.isLeft || !(await isOurs(run))) return undefined;
    let hasBegun = false;
    const tell = (status: 'running' | 'done' | 'failed') => {
      hasBegun = true;
      turn.onFrame({ kind: 'tool', key: pause.executionId, name: tool.name, status });
      turn.log.flush();
    };
    const refused = tools.refuse(tool, pause, visitor);
    /** The claim may have taken the store a while. */
    const mayBegin = async () => !run.isLeft && (await isOurs(run)) && !run.isLeft;
    const onBegun = () => tell('running');
    const ofTurn = { gone: run.gone, mayBegin, onBegun };
    const result = refused ?? (await tools.run(tool, pause, conversation, visitor, ofTurn));
    await meanwhile;
    if (run.isLeft || !(await isOurs(run))) return undefined;
    if (hasBegun) tell(result.ok ? 'done' : 'failed');
    return result;
  };
  const runUnasked = async (run: TurnRun, pause: AgentPause, tool: ReadTool): Promise<void> => {
    const { turn, conversation } = run;
    turn.passPause();
    /** At once: whoever takes the turn over while the tool runs tells what was said before it. */
    const keepStanding = async () => {
      const earlier = await readStanding(conversation, turn, pause.executionId);
      if (run.isLeft || !(await isOurs(run))) return;
      turn.earlier = earlier;
      // This one goes on without.
      await store.setEarlier(conversation.id, turn.id, earlier).catch(() => {});
    };
    const result = await runTool(run, pause, tool, keepStanding());
    if (!result) return;
    submit(run, pause, { decision: 'approve', answers: undefined, ran: result });
  };

  return {
    async onPause(run, pause) {
      const tool = tools.find(pause);
      const visitor = tool && (await readVisitor(run));
      // What would be refused afterwards is not asked about.
      const isRefused = tool && visitor && tools.refuse(tool, pause, visitor);
      if (tool && (tool.approval === 'never' || isRefused)) return runUnasked(run, pause, tool);
      return close(run, run.turn.toPaused(toStoredPause(describe(pause, tool), now())));
    },
    async goOn(run, pause, decision) {
      const tool = decision.decision === 'approve' ? tools.find(pause) : undefined;
      if (!tool) return submit(run, pause, decision);
      const result = await runTool(run, pause, tool);
      if (result) submit(run, pause, { ...decision, ran: result });
    },
  };
}

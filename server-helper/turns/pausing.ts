/** What a paused turn waits for: its visitor's word, or a tool of the site's own, which runs here. */
import type { ChatDecision } from '../agent/chat.ts';
import type { AgentPause } from '../agent/frame.ts';
import { toStoredPause } from '../conversation/pause.ts';
import { HelperError, toHelperError } from '../errors.ts';
import { toLogFields } from '../log.ts';
import type { ReadTool } from '../tools/option.ts';
import type { SiteTools, ToolResult } from '../tools/running.ts';
import type { RunContext, RunParts } from './context.ts';
import type { TurnRun } from './run.ts';
import type { ReadStanding } from './standing.ts';

/** An agent that asks for more in one turn goes round in circles. */
const mostTools = 20;

export type Pausing = {
  /** The agent waits. Resolves once the visitor is asked, or what runs here has begun to be told. Never rejects. */
  onPause(run: TurnRun, pause: AgentPause): Promise<void>;
  /** The visitor has decided: the turn goes on. Never rejects. */
  goOn(run: TurnRun, pause: AgentPause, decision: ChatDecision): Promise<void>;
};

export function createPausing(
  { store, chat, log, now }: RunContext,
  tools: SiteTools,
  parts: { close: RunParts['close']; readStanding: ReadStanding; isOurs: (run: TurnRun) => Promise<boolean> },
): Pausing {
  const { close, readStanding, isOurs } = parts;

  const ran = new WeakMap<TurnRun, number>();

  const submit = (run: TurnRun, pause: AgentPause, decision: ChatDecision) =>
    run.ask((sink) => chat.resume(run.conversation.chatId, pause, decision, sink));
  const never =
    (run: TurnRun) =>
    (error: unknown): Promise<void> => {
      if (!(error instanceof HelperError))
        log.error({ ...toLogFields(error), turnId: run.turn.id }, 'a tool could not be run');
      return run.fail(toHelperError(error));
    };
  /** @returns undefined where the turn is another helper's, or nobody's, by now */
  const runTool = async (
    run: TurnRun,
    pause: AgentPause,
    tool: ReadTool,
    meanwhile?: Promise<unknown>,
  ): Promise<ToolResult | undefined> => {
    const { turn, conversation } = run;
    const visitor = await tools.readVisitor(conversation);
    if (!visitor || run.isDone || !(await isOurs(run))) return undefined;
    const tell = (status: 'running' | 'done' | 'failed') => {
      turn.onFrame({ kind: 'tool', key: pause.executionId, name: tool.name, status });
      turn.log.flush();
    };
    const refused = tools.refuse(tool, pause, visitor);
    if (!refused) tell('running');
    const result = refused ?? (await tools.run(tool, pause, conversation, visitor, run.gone));
    await meanwhile;
    if (run.isDone || !(await isOurs(run))) return undefined;
    if (!refused) tell(result.ok ? 'done' : 'failed');
    return result;
  };
  const runUnasked = async (run: TurnRun, pause: AgentPause, tool: ReadTool): Promise<void> => {
    const { turn, conversation } = run;
    const before = ran.get(run) ?? 0;
    ran.set(run, before + 1);
    if (before >= mostTools)
      throw new HelperError('agent-unavailable', `The agent asked for more than ${mostTools} tools`);
    turn.passPause();
    let earlier: string | undefined;
    const reading = readStanding(conversation, turn, pause.executionId).then((read) => {
      earlier = read;
    });
    const result = await runTool(run, pause, tool, reading);
    if (!result) return;
    if (earlier !== undefined) {
      turn.earlier = earlier;
      // It is for whoever takes the turn over, and this one goes on.
      await store
        .setEarlier(conversation.id, turn.id, earlier)
        .catch((error: unknown) =>
          log.warn({ ...toLogFields(error), turnId: turn.id }, 'a tool was not noted'),
        );
    }
    submit(run, pause, { decision: 'approve', answers: undefined, ran: result });
  };

  return {
    async onPause(run, pause) {
      const tool = tools.find(pause);
      try {
        const visitor = tool && (await tools.readVisitor(run.conversation));
        // What would be refused afterwards is not asked about.
        const isAsked =
          !tool || (tool.approval === 'always' && !(visitor && tools.refuse(tool, pause, visitor)));
        if (isAsked) await close(run, run.turn.toPaused(toStoredPause(pause, now())));
        else await runUnasked(run, pause, tool);
      } catch (error) {
        await never(run)(error);
      }
    },
    async goOn(run, pause, decision) {
      const tool = decision.decision === 'approve' ? tools.find(pause) : undefined;
      try {
        if (!tool) return submit(run, pause, decision);
        const ran = await runTool(run, pause, tool);
        if (ran) submit(run, pause, { ...decision, ran });
      } catch (error) {
        await never(run)(error);
      }
    },
  };
}

/** Puts the helper's parts together: options and what the runtime gives → what every route works with. */
import { createAgentBot } from './agent/bot.ts';
import { createAgentChat } from './agent/chat.ts';
import { createAgentConversations } from './agent/conversation.ts';
import { createAgentHttp, type Dispatch } from './agent/http.ts';
import { createAllowanceWatch } from './agent/plan.ts';
import { createAgentWorkspaces } from './agent/workspace.ts';
import { createAttachments } from './attachments/keeping.ts';
import { createChallenges } from './auth/challenge.ts';
import { openSessions } from './auth/keyring.ts';
import { createLimiter } from './auth/limit.ts';
import type { Sessions } from './auth/session.ts';
import { createSharedLimiter } from './auth/shared-limit.ts';
import type { Config } from './config.ts';
import { createLeftovers } from './conversation/leftovers.ts';
import { createWorkspaces } from './conversation/workspace.ts';
import { createPace } from './log.ts';
import { createMetrics, type MeasureProcess } from './metrics.ts';
import type { Parts } from './routes/exchange.ts';
import type { ConversationRecord } from './store/store.ts';
import { createTallies } from './tallies.ts';
import { createSiteTools } from './tools/running.ts';
import { createTracing } from './tracing.ts';
import { createEngine } from './turns/engine.ts';
import { createReaders } from './turns/readers.ts';
import type { LiveTurn } from './turns/turn.ts';

export type RuntimeParts = {
  dispatch: Dispatch;
  now: () => number;
  monotonicNow: () => number;
  measureProcess: MeasureProcess | undefined;
};

export function createParts(
  config: Config,
  { dispatch, now, monotonicNow, measureProcess }: RuntimeParts,
  closing: AbortSignal,
): Parts {
  const { store, log } = config;
  const tallies =
    config.adminPassword === undefined ? undefined : createTallies({ store, bot: config.botId, log, now });
  const uncounted = createMetrics();
  const metrics = tallies?.count(uncounted) ?? uncounted;
  const tracing = createTracing();
  const http = createAgentHttp(config, tracing.trace(dispatch), undefined, metrics.agentAnswered);
  const chat = createAgentChat(http);
  const conversations = createAgentConversations(http);
  const workspaces = createAgentWorkspaces(http);
  const noteMade = createAllowanceWatch(http, log, monotonicNow);
  const create = async (name: string) => {
    const uuid = await workspaces.create(name);
    noteMade();
    return uuid;
  };
  const pins = createWorkspaces(config.workspace, store, create);
  const tools = createSiteTools(config.tools, { store, bot: config.botId, log });
  const attachments = createAttachments(store, config.botId, now);
  /** Its visitor may have signed in since it began. */
  const onOver = async ({ id }: ConversationRecord, turn: LiveTurn) => {
    const read = () => Promise.all([store.findTurn(id, turn.id), store.findConversation(id)]);
    // One call that the store did not answer is no reason to keep them.
    const [record, conversation] = await read()
      .catch(read)
      .catch(() => []);
    if (!record?.attached || !conversation) return;
    const named: readonly string[] = JSON.parse(record.attached);
    await attachments.forget(conversation.owner, (kept) => named.includes(kept.id));
  };
  const context = {
    chat,
    conversations,
    store,
    log,
    now,
    monotonicNow,
    metrics,
    tracing,
    ...(config.attachments && { onOver }),
  };
  const engine = createEngine(context, pins, tools);
  const leftovers = createLeftovers({
    store,
    bot: config.botId,
    log,
    now,
    delete: {
      async chat(chatId) {
        await engine.quiet(chatId);
        await conversations.delete(chatId);
      },
      workspace: workspaces.delete,
    },
    room: () => http.quota.room(closing),
  });
  const isDue = createPace(monotonicNow);
  const tellNear = (limit: string) => {
    if (isDue(`near ${limit}`)) log.warn({ limit }, 'a limit is nearly reached');
  };
  const tellForeign = () => {
    if (isDue('foreign session'))
      log.warn({}, 'a session of another secret came: do all processes have the same session secret?');
  };
  const limiter = createLimiter(monotonicNow, config.allowances, tellNear);
  let sessions: Promise<Sessions> | undefined;
  return {
    config,
    store,
    now,
    isDue,
    chat,
    conversations,
    limiter: store.limits
      ? createSharedLimiter(limiter, store.limits, config.botId, config.allowances, tellNear)
      : limiter,
    challenges: createChallenges({ ...config, isDue }),
    bot: createAgentBot(http),
    engine,
    leftovers,
    attachments,
    uploads: [],
    readers: createReaders(config.allowances.openReaders),
    metrics,
    tallies,
    measureProcess,
    inFlight: new Set(),
    room: http.quota.room,
    agentSpentMs: http.quota.spentMs,
    closing,
    sessions: () => {
      sessions ??= openSessions(config, `${config.projectId} ${config.botId}`, now, tellForeign).catch(
        (error: unknown) => {
          // Forgotten, so that the next request asks the store again.
          sessions = undefined;
          throw error;
        },
      );
      return sessions;
    },
  };
}

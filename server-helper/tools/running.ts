/** Runs a tool of the site's own: for the conversation's own visitor, once for each time that the agent asks. */
import type { AgentPause } from '../agent/frame.ts';
import { isMemberNow } from '../auth/membership.ts';
import { type Log, toLogFields } from '../log.ts';
import type { ConversationRecord, Store } from '../store/store.ts';
import type { ReadTool, ToolVisitor } from './option.ts';

/** What is told to the agent. */
export type ToolResult = { ok: boolean; result: unknown };

export type ToolTurn = {
  /** Aborts when it is over, or another helper's. */
  gone: AbortSignal;
  /** Asked at the last moment. */
  mayBegin(): Promise<boolean>;
  onBegun(): void;
};

export type SiteTools = {
  find(pause: AgentPause): ReadTool | undefined;
  /** Undefined for a conversation that is deleted. */
  readVisitor(conversation: ConversationRecord): Promise<ToolVisitor | undefined>;
  /** What is told instead of running it, and of asking whether it may run. */
  refuse(tool: ReadTool, pause: AgentPause, visitor: ToolVisitor): ToolResult | undefined;
  /** Never rejects; resolves within 10 s. */
  run(
    tool: ReadTool,
    pause: AgentPause,
    conversation: ConversationRecord,
    visitor: ToolVisitor,
    turn: ToolTurn,
  ): Promise<ToolResult>;
};

const runMs = 10_000;
const maxResultBytes = 64 * 1024;
/** Longer than any turn. */
const claimMs = 24 * 3600_000;

export function createSiteTools(
  tools: ReadonlyMap<string, ReadTool>,
  { store, bot, log }: { store: Store; bot: string; log: Log },
): SiteTools {
  /** Whoever takes a turn over does not know how far the one before it came. */
  const claim = async ({ chatId }: ConversationRecord, { executionId }: AgentPause): Promise<boolean> => {
    const mine = crypto.randomUUID();
    const remember = () => store.remember(`tool:${chatId}:${executionId}`, mine, claimMs);
    // Once more: the store may have it, and have failed to say so.
    return (await remember().catch(remember)) === mine;
  };

  return {
    find: ({ tool }) => tools.get(tool.name),
    async readVisitor({ id }) {
      // A guest may have signed in since the turn began.
      const conversation = await store.findConversation(id);
      if (!conversation) return undefined;
      const { owner } = conversation;
      const [, kind, subject = ''] = /^(\w+):(.*)$/s.exec(owner) ?? [];
      if (kind !== 'external' && kind !== 'email') return { kind: 'anonymous', member: false };
      const member = await isMemberNow({ store, config: { botId: bot } }, owner);
      return { kind: 'identified', [kind === 'email' ? 'email' : 'externalId']: subject, member };
    },
    refuse({ name, access, refuse }, { tool }, visitor) {
      if (access === 'staff_only' && !visitor.member)
        return toFailure('This tool is for members of the project alone.');
      try {
        const fault = refuse(tool.parameters ?? {});
        return fault === undefined ? undefined : toFailure(fault);
      } catch (error) {
        log.warn({ ...toLogFields(error), tool: name }, 'a tool failed');
        return toFailure('The tool failed.');
      }
    },
    async run(tool, pause, conversation, visitor, { gone, mayBegin, onBegun }) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), runMs);
      const signal = AbortSignal.any([gone, late.signal]);
      const over = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      over.catch(() => {});
      const onUnclaimed = (error: unknown) =>
        log.warn({ ...toLogFields(error), tool: tool.name }, 'a tool was not run: the store does not answer');
      try {
        // One that has aborted before tells nobody so.
        signal.throwIfAborted();
        const isOurs = await Promise.race([claim(conversation, pause).catch(onUnclaimed), over]);
        if (isOurs === undefined) return toFailure('The tool could not be run.');
        if (!isOurs) return toFailure('This was begun before, and what came of it is not known.');
        if (!(await Promise.race([mayBegin(), over]))) return toFailure('The turn was stopped.');
        onBegun();
        // What it is given is its own, to change as it likes.
        const values = structuredClone(pause.tool.parameters ?? {});
        const given = await Promise.race([tool.run(values, visitor, signal), over]);
        return toResult(given);
      } catch (error) {
        if (gone.aborted) return toFailure('The turn was stopped.');
        const isLate = late.signal.aborted;
        const reason = isLate ? { reason: `it took longer than ${runMs / 1000} s` } : toLogFields(error);
        log.warn({ ...reason, tool: tool.name }, 'a tool failed');
        return toFailure(isLate ? 'The tool took too long.' : 'The tool failed.');
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** @throws where it is not JSON */
function toResult(given: unknown): ToolResult {
  const json = JSON.stringify(given) ?? 'null';
  if (new TextEncoder().encode(json).length > maxResultBytes)
    throw new TypeError(`what it gave is larger than ${maxResultBytes / 1024} KB`);
  const result: unknown = JSON.parse(json);
  const error = (result as { error?: unknown } | null)?.error;
  return { ok: typeof error !== 'string', result };
}

function toFailure(error: string): ToolResult {
  return { ok: false, result: { error } };
}

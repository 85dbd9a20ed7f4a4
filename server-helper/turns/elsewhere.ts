/** Follows a turn that another helper runs: shows what the agent streams, and ends it as the store says. */
import { type Frame, keep } from '../agent/frame.ts';
import type { AnswerSink } from '../agent/stream.ts';
import { toLogFields } from '../log.ts';
import type { ConversationRecord, TurnRecord } from '../store/store.ts';
import type { RunContext } from './context.ts';
import { tellRecord } from './retelling.ts';
import type { LiveTurn } from './turn.ts';
import { lookEveryMs, type Watching, watchElsewhere } from './watching.ts';

const mostLookMs = 10_000;
/** The agent tells whatever it says in this chat: so long after its end it may still be the turn before, also one that is whole. */
const quietMs = 6_000;
const mostHeld = 1_000;
/** What the agent streams is only shown: how the turn ends is its runner's to say. */
const shown: ReadonlySet<Frame['kind']> = new Set(['text', 'reasoning', 'tool', 'sources']);

/** @returns the record when the turn is ours now; undefined once it has ended, or is left */
export async function followElsewhere(
  context: RunContext,
  turn: LiveTurn,
  conversation: ConversationRecord,
  watching: Watching,
): Promise<TurnRecord | undefined> {
  const { store, chat, log, now, monotonicNow } = context;
  let connection: { abort(): void } | undefined;
  let isSubscribed = false;
  /** The agent may not have begun: it is asked again, less and less often, until it has told something. */
  let hasTold = false;
  let tries = 0;
  let notBefore = 0;
  /** The runner may have ended this turn and begun the next: the first frames are shown once the store says that it had not. */
  let isOurs = false;
  let held: Frame[] = [];
  const release = async () => {
    const newest = (await store.listTurns(conversation.id, { limit: 1 })).at(-1);
    if (newest?.id !== turn.id || newest.status !== 'running' || turn.isOver) return connection?.abort();
    isOurs = true;
    for (const frame of held.splice(0)) turn.onFrame(frame);
    turn.log.flush();
  };
  const sink: AnswerSink = {
    onLife() {},
    onFrame: (frame) => {
      hasTold = true;
      if (!shown.has(frame.kind)) return;
      if (isOurs) return turn.onFrame(frame);
      // What is dropped here comes with the end.
      if (held.length < mostHeld) held.push(keep(frame));
      if (held.length > 1) return;
      release().catch((error: unknown) => {
        connection?.abort();
        log.warn({ ...toLogFields(error), turnId: turn.id }, 'what another helper hears is not shown');
      });
    },
    onFlush: () => turn.log.flush(),
    onEnd: () => {
      connection = undefined;
      if (hasTold) return;
      isSubscribed = false;
      notBefore = monotonicNow() + Math.min(mostLookMs, lookEveryMs * 2 ** tries);
      tries += 1;
    },
  };
  const subscribe = async () => {
    const turns = await store.listTurns(conversation.id, { limit: 2 });
    if (turns.at(-1)?.id !== turn.id) return;
    const before = turns.find(({ id }) => id !== turn.id);
    if (isDone() || (before?.endedAt && now() <= before.endedAt + quietMs)) return;
    isSubscribed = true;
    isOurs = false;
    held = [];
    connection = chat.subscribe(conversation.chatId, sink);
  };
  const isDone = () => turn.isOver || watching.left.aborted;
  try {
    return await watchElsewhere(context, turn, watching, {
      async before() {
        if (!isSubscribed && monotonicNow() >= notBefore) await subscribe().catch(() => {});
      },
      tellEnd: (record) => tellRecord(context, turn, conversation, record),
    });
  } finally {
    connection?.abort();
    turn.log.flush();
  }
}

/** What the parts of a turn's life work with, and what they hand to each other. */
import type { AgentChat, ChatQuestion } from '../agent/chat.ts';
import type { AgentConversations } from '../agent/conversation.ts';
import type { AgentPause } from '../agent/frame.ts';
import type { AnswerSink } from '../agent/stream.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { ChatMode } from '../protocol/wire.ts';
import type { ConversationRecord, Store, TurnRecord } from '../store/store.ts';
import type { Tracing } from '../tracing.ts';
import type { TurnRun } from './run.ts';
import type { TurnEnd } from './telling.ts';
import type { LiveTurn } from './turn.ts';

/** `now` gives dates, in milliseconds since 1970; `monotonicNow` measures waits, which no set clock may stretch. */
export type Clock = { now: () => number; monotonicNow: () => number };

export type RunContext = Clock & {
  chat: AgentChat;
  conversations: AgentConversations;
  store: Store;
  log: Log;
  metrics: Pick<Metrics, 'turnEnded'>;
  tracing: Pick<Tracing, 'turn' | 'turnEnded'>;
  /** A turn has ended, and the agent may have had it. */
  onOver?: (conversation: ConversationRecord, turn: LiveTurn) => Promise<void>;
};

/** Of one run: `hold` keeps the chat's next question waiting until what it is given has settled. */
export type RunParts = RunContext & {
  hold: (chatId: string, done: Promise<unknown>) => Promise<void>;
  /** Writes the end down and tells it; another end that stands already is told instead. Never rejects. */
  close: (run: TurnRun, end: TurnEnd) => Promise<void>;
  /** The agent waits for somebody. */
  onPause: (run: TurnRun, pause: AgentPause) => Promise<void>;
};

/** Opens an answer: the question, a decision, or the running reply once more. */
export type Opening = (sink: AnswerSink) => { abort(): void };

export type TurnQuestion = Omit<ChatQuestion, 'chatId' | 'workspace' | 'chatMode'> & {
  /** The conversation's from now on. */
  mode: ChatMode | undefined;
  replaces: string | undefined;
  /** What its visitor saw last. */
  newest: string | undefined;
  /** Of the project, at this moment: others only ask, whatever mode the conversation was left in. */
  isMember: boolean;
};

/** What a question needs to become a turn; the rest of its record is the engine's. */
export type NewTurn = Pick<TurnRecord, 'id' | 'fingerprint' | 'at' | 'question' | 'attached'>;

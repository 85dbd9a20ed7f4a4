/** What each event means for one answer. Pure: a state and an event give the next state. */
import type { Message, Source, TurnEvent, TurnEventData } from '../../server-helper/protocol/wire.ts';
import { isProblemCode, type WidgetCode } from '../errors.ts';

/** `sending`: not seen to be accepted. `writing`: the agent is at it. The last four are ends. */
export type AnswerStatus = 'sending' | 'writing' | 'paused' | 'completed' | 'stopped' | 'failed';

export type ToolUse = TurnEventData['tool'];

export type Answer = {
  turnId: string;
  status: AnswerStatus;
  text: string;
  tools: readonly ToolUse[];
  sources: readonly Source[];
  pause: TurnEventData['turn-paused'] | undefined;
  /** Why it failed. */
  code: WidgetCode | undefined;
  retryAfterMs: number | undefined;
  /** What the agent thought; history has none of it. */
  reasoning?: string;
  /** What the agent asked, and was answered; history has none of it either. */
  said?: readonly { question: string; answer: string }[];
  vote?: Message['vote'];
  /** When it was said, as RFC 3339. */
  at?: string;
};

export function createAnswer(turnId: string, status: AnswerStatus): Answer {
  return {
    turnId,
    status,
    text: '',
    tools: [],
    sources: [],
    pause: undefined,
    code: undefined,
    retryAfterMs: undefined,
  };
}

export function reduceAnswer(answer: Answer, event: TurnEvent): Answer {
  switch (event.kind) {
    case 'turn-started':
      // Also the first event of a replay: what was said is about to be said again.
      return createAnswer(answer.turnId, 'writing');
    case 'text-delta':
      return { ...answer, status: 'writing', pause: undefined, text: answer.text + event.data.text };
    case 'reasoning-delta':
      // A sign of life: a pause that it follows has been decided.
      return {
        ...answer,
        status: 'writing',
        pause: undefined,
        reasoning: (answer.reasoning ?? '') + event.data.text,
      };
    case 'tool':
      return {
        ...answer,
        status: 'writing',
        pause: undefined,
        tools: [...answer.tools.filter(({ id }) => id !== event.data.id), event.data],
      };
    case 'sources':
      return { ...answer, sources: event.data.sources };
    case 'turn-paused':
      return { ...answer, status: 'paused', pause: event.data };
    case 'turn-completed':
    case 'turn-stopped':
      return settle(answer, event.data.message);
    case 'turn-failed':
      return {
        ...answer,
        status: 'failed',
        pause: undefined,
        code: toKnown(event.data.code),
        retryAfterMs: event.data.retryAfterMs,
      };
  }
}

/** The message stands, whatever was streamed before. */
function settle(answer: Answer, message: Message): Answer {
  return {
    ...answer,
    status: message.status === 'stopped' ? 'stopped' : 'completed',
    text: message.text,
    sources: message.sources ?? answer.sources,
    pause: undefined,
    at: message.at,
  };
}

/** An answer as history tells it. */
export function toAnswer(message: Message): Answer {
  const { status } = message;
  return {
    ...createAnswer(message.turnId, status === 'running' ? 'writing' : status),
    text: message.text,
    sources: message.sources ?? [],
    vote: message.vote,
    at: message.at,
    code: status === 'failed' ? toKnown(message.code) : undefined,
  };
}

/** A newer helper may have others. */
function toKnown(code: unknown): WidgetCode {
  return isProblemCode(code) ? code : 'internal';
}

export function isRunning({ status }: Answer): boolean {
  return status === 'sending' || status === 'writing';
}

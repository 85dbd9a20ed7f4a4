/** What a paused turn waits for: the part that the visitor decides on, and the check of the decision. */
import type { AgentPause } from '../agent/frame.ts';
import { asObject, asString } from '../agent/json.ts';
import { HelperError } from '../errors.ts';
import { type DecisionRequest, limits, type Question, type TurnEventData } from '../protocol/wire.ts';

/** Kept in the store, never shown as it is. */
export type StoredPause = { pause: AgentPause; expiresAtMs: number };

export function toStoredPause(pause: AgentPause, nowMs: number): StoredPause {
  return { pause, expiresAtMs: nowMs + limits.approvalTtlMs };
}

export function writePause(stored: StoredPause): string {
  return JSON.stringify(stored);
}

export function readPause(text: string): StoredPause {
  return JSON.parse(text) as StoredPause;
}

export function isPauseOver(text: string | undefined, nowMs: number): boolean {
  return text !== undefined && readPause(text).expiresAtMs <= nowMs;
}

/** The event that the visitor sees: an approval shows the parameters, since they are what is decided on. */
export function toPausedEvent({ pause, expiresAtMs }: StoredPause): TurnEventData['turn-paused'] {
  const { name, description = '', parameters = {} } = pause.tool;
  const kind = name === 'ask_user' ? 'question' : name === 'accept_plan' ? 'plan' : 'approval';
  const event: TurnEventData['turn-paused'] = {
    kind,
    tool: { name, title: toTitle(name), description, parameters: kind === 'question' ? {} : parameters },
    expiresAt: new Date(expiresAtMs).toISOString(),
  };
  if (kind === 'question') {
    const asked = readQuestions(parameters.questions ?? [parameters.question]);
    // Whatever its shape, somebody asks: without a question there would be nothing to answer.
    event.questions = asked.length > 0 ? asked : [{ question: description || toTitle(name), options: [] }];
  }
  return event;
}

const mostOptions = 10;

function readQuestions(value: unknown): Question[] {
  return (Array.isArray(value) ? value : []).slice(0, limits.maxAnswers).flatMap((item) => {
    const entry = asObject(item);
    const question = asString(item) ?? asString(entry?.question) ?? asString(entry?.text);
    if (!question) return [];
    const options = (Array.isArray(entry?.options) ? entry.options : [])
      .slice(0, mostOptions)
      .flatMap((option) => {
        const text = asString(option) ?? asString(asObject(option)?.label);
        return text ? [text] : [];
      });
    return [{ question, options }];
  });
}

/** `order_status` → `Order status`. */
export function toTitle(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** @throws HelperError `bad-request` when the decision is not one that this pause can take */
export function requireFittingDecision(stored: StoredPause, { decision, answers }: DecisionRequest): void {
  const { kind, questions } = toPausedEvent(stored);
  if (kind !== 'question') {
    if (decision === 'answer') throw new HelperError('bad-request', 'decision: expected approve or deny');
    return;
  }
  if (decision === 'approve') throw new HelperError('bad-request', 'decision: expected answer or deny');
  if (decision === 'answer' && answers?.length !== questions?.length)
    throw new HelperError('bad-request', 'answers: expected one for each question');
}

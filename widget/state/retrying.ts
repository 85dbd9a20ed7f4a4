/** "Try again" under an answer that failed: the same question once more, unless it was answered after all. Loaded with the first click. */
import { batch } from '@preact/signals';
import type { TurnRequest } from '../../server-helper/protocol/wire.ts';
import type { SessionKeeper } from '../transport/session.ts';
import type { Screen } from './screen.ts';
import { createAnswer, isRunning } from './turn.ts';

/** Of one conversation: what takes back that a failed answer is tried again, while one is. */
export type Retrying = { end: (() => void) | undefined };

export type RetryingDeps = {
  screen: Screen;
  sessions: SessionKeeper;
  reload: (conversationId: string) => Promise<void>;
  take: (turnId: string, question: TurnRequest, wasHeld?: boolean) => void;
  toRequest: (text: string, replaces?: string) => TurnRequest;
  makeId: () => string;
};

export async function retry(
  turnId: string,
  retrying: Retrying,
  { screen, sessions, reload, take, toRequest, makeId }: RetryingDeps,
): Promise<void> {
  const { id, entries, running, signal } = screen;
  const entry = screen.find(turnId);
  const question = entry?.question;
  // Of two clicks the first counts.
  if (!entry || question === undefined || retrying.end) return;
  const failed = entry.answer.value;
  const tried = entry.request?.replaces;
  const end = () => {
    retrying.end = undefined;
    if (running.value === turnId) running.value = undefined;
    entry.answer.value = failed;
  };
  retrying.end = end;
  running.value = turnId;
  entry.answer.value = createAnswer(turnId, 'sending');
  await reload(id.value as string).catch(() => {});
  // Stopped, or somebody else is there or may be: it stays as it was, to be tried again.
  if (retrying.end !== end) return;
  // It was answered after all, or is being: only the word of it had not come.
  const told = screen.find(turnId)?.answer.value;
  const isAnswered = told !== undefined && ['completed', 'writing', 'paused'].includes(told.status);
  const isWanted = !signal.aborted && running.value === turnId && sessions.isSettled;
  batch(() => {
    end();
    const isLast = entries.value.at(-1)?.turnId === turnId;
    // What another device has asked since may be running.
    if (isAnswered && isRunning(told)) running.value = turnId;
    // What was asked since on another device is not taken back.
    if (isAnswered || !isWanted) return;
    // What it was to take the place of stands still where nothing was taken back for it: both go.
    const replaces = tried !== undefined && screen.find(tried) ? tried : turnId;
    take(makeId(), isLast ? { ...toRequest(question, turnId), replaces } : toRequest(question), true);
  });
}

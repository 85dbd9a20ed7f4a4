/** What the widget says, in English, but for what a part of the view says alone: that comes with the part. `{name}` is filled in. */
import type { State } from '../states.ts';
import type { words as actions } from './en/actions.ts';
import type { words as answer } from './en/answer.ts';
import type { words as code } from './en/code.ts';
import type { words as decision } from './en/decision.ts';
import type { words as history } from './en/history.ts';
import type { words as modes } from './en/modes.ts';
import type { words as myData } from './en/my-data.ts';
import type { words as newest } from './en/newest.ts';
import type { words as sources } from './en/sources.ts';
import type { words as unread } from './en/unread.ts';
import type { words as work } from './en/work.ts';

const words = {
  language: 'en',
  chat: 'Chat',
  open: 'Open chat',
  close: 'Close chat',
  panel: 'Chat with {name}',
  compose: 'Your question',
  send: 'Send',
  stop: 'Stop the answer',
  newConversation: 'New conversation',
  larger: 'Larger window',
  history: 'Conversations',
  back: 'Back to the conversation',
  older: 'Show older messages',
  you: 'You',
  incomplete: 'This answer is incomplete.',
  retry: 'Try again',
  retryIn: 'Try again in {time}',
  announceAnswer: 'Answer: {text}',

  // The states, each under its own name.
  'bad-request': 'This could not be sent.',
  unauthenticated: 'The chat was reset. Try again.',
  'session-expired': 'The chat was reset. Try again.',
  'sso-token-invalid': 'Your sign-in could not be checked. You are chatting as a guest.',
  'sso-token-expired': 'Your sign-in has ended or changed. Reload the page to go on.',
  'sign-in-required': 'Sign in on this site to use the chat.',
  'origin-refused': 'The chat is not available on this page.',
  'challenge-failed': 'Your browser could not be checked.',
  'not-allowed': 'This is not possible here.',
  'not-found': 'This conversation is no longer there.',
  'turn-running': 'An earlier question is still open. Wait for the end, or stop it.',
  'turn-conflict': 'This could not be sent.',
  'too-large': 'This is too long.',
  'unsupported-media-type': 'This could not be sent.',
  'rate-limited': 'Too many questions right now.',
  'agent-unavailable': 'The agent cannot be reached right now.',
  'agent-timeout': 'The agent cannot answer right now.',
  'agent-refused': 'The agent cannot answer right now.',
  'shutting-down': 'The agent cannot be reached right now.',
  internal: 'Something went wrong.',
  offline: 'You are offline.',
  unreachable: 'The chat cannot be reached right now.',
  'bad-stream': 'The agent cannot be reached right now.',
  aborted: 'Stopped.',
  loading: 'Loading',
  checking: 'Checking who is signed in.',
  thinking: 'Working on it',
  'still-thinking': 'Still working on it',
  'waiting-offline': 'You are offline. This is sent once you are back.',
  'waiting-unreachable': 'The chat cannot be reached. Trying again.',
  reconnecting: 'Connection lost. Trying again.',
  'stopped-empty': 'Stopped before an answer.',
  paused: 'The agent waits for your decision.',
  'pause-expired': 'The time to decide is over.',
  'decision-first': 'The agent waits for your decision. Decide, or stop it.',
  'answer-first': 'An earlier question is still open. Wait for the end, or stop it.',
  'too-long': 'This is too long by {over} characters.',
  'not-sent': 'This was not sent yet.',
  'not-kept': 'This browser does not keep the conversation.',
  'token-refused': 'Your sign-in could not be checked. You are chatting as a guest.',
  'sign-in-ended': 'Your sign-in has ended. You are chatting as a guest.',
  'resume-failed': 'The conversation could not be loaded.',
  'older-failed': 'Older messages could not be loaded.',
  'stop-failed': 'The answer could not be stopped.',
  'part-failed': 'This part of the chat could not be loaded. Reload the page.',
};

type Words = typeof words &
  typeof actions &
  typeof answer &
  typeof code &
  typeof decision &
  typeof history &
  typeof modes &
  typeof myData &
  typeof newest &
  typeof sources &
  typeof unread &
  typeof work;

/** Every sentence of a language; each state has one under its own name. */
export type StringKey = keyof Words | State;
export type Strings = Readonly<Record<StringKey, string>>;

/** A part that is loaded adds its words. */
export const en = words as Words satisfies Strings;

export function fill(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

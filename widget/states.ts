/** Every state in which something fails, waits or is refused: what the visitor reads, hears and can do, and what the site owner is told. */
import type { WidgetCode } from './errors.ts';
import type { StringKey } from './strings/en.ts';

/** What is no error of its own, or says where one happened. */
export type Situation =
  | 'loading'
  | 'thinking'
  | 'still-thinking'
  | 'waiting-offline'
  | 'waiting-unreachable'
  | 'reconnecting'
  | 'stopped-empty'
  | 'paused'
  | 'pause-expired'
  | 'decision-first'
  | 'answer-first'
  | 'too-long'
  | 'not-copied'
  | 'not-kept'
  | 'token-refused'
  | 'resume-failed'
  | 'older-failed'
  | 'list-failed'
  | 'delete-failed'
  | 'stop-failed'
  | 'decision-failed'
  | 'part-failed';

export type State = WidgetCode | Situation;

/** `retry`: the same again, by a click. `stop`, `decide`, `edit`, `copy`, `sign-in`: the visitor does it where it is done. */
export type Way = 'retry' | 'stop' | 'decide' | 'edit' | 'copy' | 'sign-in' | 'none';

export type StateRow = {
  readonly says: StringKey;
  readonly way: Way;
  /** What all can see coming is not read out. */
  readonly silent?: true;
  /** For the page's console. */
  readonly owner?: string;
};

export const states: Readonly<Record<State, StateRow>> = {
  'bad-request': { says: 'badRequest', way: 'edit' },
  unauthenticated: { says: 'sessionLost', way: 'retry' },
  'session-expired': { says: 'sessionLost', way: 'retry' },
  'sso-token-invalid': { says: 'notSignedIn', way: 'sign-in', owner: 'the SSO token is not valid' },
  'sso-token-expired': { says: 'notSignedIn', way: 'retry', owner: 'the SSO token is past its time' },
  'sign-in-required': { says: 'signInFirst', way: 'sign-in' },
  'origin-refused': { says: 'originRefused', way: 'none', owner: 'this origin is not on its list' },
  'not-allowed': { says: 'notAllowed', way: 'none' },
  'not-found': { says: 'notFound', way: 'none' },
  'turn-running': { says: 'turnRunning', way: 'retry' },
  'turn-conflict': { says: 'turnConflict', way: 'none' },
  'too-large': { says: 'tooLarge', way: 'edit' },
  'unsupported-media-type': { says: 'badRequest', way: 'none' },
  'rate-limited': { says: 'rateLimited', way: 'retry' },
  'agent-unavailable': { says: 'agentUnavailable', way: 'retry' },
  'agent-timeout': { says: 'agentTimeout', way: 'retry' },
  'agent-refused': { says: 'agentRefused', way: 'none', owner: 'the agent refuses it: its log says why' },
  'shutting-down': { says: 'agentUnavailable', way: 'retry' },
  internal: { says: 'internal', way: 'retry' },
  offline: { says: 'offline', way: 'retry' },
  unreachable: {
    says: 'unreachable',
    way: 'retry',
    owner: 'no answer. Is it running, is data-helper right, and is this origin on its list?',
  },
  'bad-stream': { says: 'agentUnavailable', way: 'retry' },
  aborted: { says: 'stopped', way: 'none' },
  loading: { says: 'loading', way: 'none', silent: true },
  thinking: { says: 'thinking', way: 'stop', silent: true },
  'still-thinking': { says: 'stillThinking', way: 'stop' },
  'waiting-offline': { says: 'waitingOffline', way: 'stop' },
  'waiting-unreachable': { says: 'waitingUnreachable', way: 'stop' },
  reconnecting: { says: 'reconnecting', way: 'stop' },
  'stopped-empty': { says: 'stoppedEmpty', way: 'none' },
  paused: { says: 'announcePaused', way: 'decide' },
  'pause-expired': { says: 'pauseExpired', way: 'none' },
  'decision-first': { says: 'decisionFirst', way: 'stop' },
  'answer-first': { says: 'answerFirst', way: 'stop' },
  'too-long': { says: 'tooLongBy', way: 'edit' },
  'not-copied': { says: 'notCopied', way: 'copy' },
  'not-kept': { says: 'notKept', way: 'none' },
  'token-refused': { says: 'notSignedIn', way: 'sign-in' },
  'resume-failed': { says: 'resumeFailed', way: 'retry' },
  'older-failed': { says: 'olderFailed', way: 'retry' },
  'list-failed': { says: 'listFailed', way: 'retry' },
  'delete-failed': { says: 'deleteFailed', way: 'retry' },
  'stop-failed': { says: 'stopFailed', way: 'retry' },
  'decision-failed': { says: 'decisionFailed', way: 'decide' },
  'part-failed': { says: 'partFailed', way: 'retry', owner: 'a file of the widget is missing' },
};

const told = new Set<State>();

/** Says on the page's console, once for each state, what only the site owner can mend. */
export function tellOwner(state: State, helper: string): void {
  const { owner } = states[state];
  if (owner === undefined || told.has(state)) return;
  told.add(state);
  console.error(`Porchlight: helper ${helper}, page ${location.origin}: ${owner}`);
}

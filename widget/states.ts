/** The table of the widget's states: what the visitor can do in each, whether it is read out, and what the site owner is told. */
import type { WidgetCode } from './errors.ts';

/** What is no error of its own, or says where one happened. */
export type Situation =
  | 'loading'
  | 'checking'
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
  | 'not-sent'
  | 'not-kept'
  | 'token-refused'
  | 'sign-in-ended'
  | 'resume-failed'
  | 'older-failed'
  | 'list-failed'
  | 'delete-failed'
  | 'rename-failed'
  | 'export-failed'
  | 'erase-failed'
  | 'stop-failed'
  | 'vote-failed'
  | 'decision-failed'
  | 'part-failed';

export type State = WidgetCode | Situation;

/** `retry`: the same again, by a click. `stop`, `decide`, `edit`, `copy`, `sign-in`: the visitor does it where it is done. */
export type Way = 'retry' | 'stop' | 'decide' | 'edit' | 'copy' | 'sign-in' | 'none';

export type StateRow = {
  readonly way: Way;
  /** What all can see coming is not read out. */
  readonly silent?: true;
  /** For the page's console. */
  readonly owner?: string;
};

const retry: StateRow = { way: 'retry' };
const none: StateRow = { way: 'none' };
const edit: StateRow = { way: 'edit' };
const stop: StateRow = { way: 'stop' };

/** Their sentences stand under the same names in `strings/`. */
export const states: Readonly<Record<State, StateRow>> = {
  'bad-request': edit,
  unauthenticated: retry,
  'session-expired': retry,
  'sso-token-invalid': { way: 'sign-in', owner: 'the SSO token is not valid' },
  'sso-token-expired': { way: 'retry', owner: 'the SSO token is past its time, or not given to each chat' },
  'sign-in-required': { way: 'sign-in' },
  'origin-refused': { way: 'none', owner: 'this origin is not on its list' },
  'challenge-failed': retry,
  'not-allowed': none,
  'not-found': none,
  'turn-running': retry,
  'turn-conflict': none,
  'too-large': edit,
  'unsupported-media-type': none,
  'rate-limited': retry,
  'agent-unavailable': retry,
  'agent-timeout': retry,
  'agent-refused': none,
  'shutting-down': retry,
  internal: retry,
  offline: retry,
  unreachable: {
    way: 'retry',
    owner: 'no answer. Is it running, data-helper right, this origin on its list?',
  },
  'bad-stream': retry,
  aborted: none,
  loading: { way: 'none', silent: true },
  checking: none,
  thinking: { way: 'stop', silent: true },
  'still-thinking': stop,
  'waiting-offline': stop,
  'waiting-unreachable': stop,
  reconnecting: stop,
  'stopped-empty': none,
  paused: { way: 'decide' },
  'pause-expired': none,
  'decision-first': stop,
  'answer-first': stop,
  'too-long': edit,
  'not-copied': { way: 'copy' },
  'not-sent': edit,
  'not-kept': none,
  'token-refused': { way: 'sign-in' },
  'sign-in-ended': { way: 'sign-in' },
  'resume-failed': retry,
  'older-failed': retry,
  'list-failed': retry,
  'delete-failed': retry,
  'rename-failed': retry,
  'export-failed': retry,
  'erase-failed': retry,
  'stop-failed': retry,
  'vote-failed': retry,
  'decision-failed': { way: 'decide' },
  'part-failed': { way: 'retry', owner: 'a file of the widget is missing' },
};

const told = new Set<State>();

/** Says on the page's console, once for each state, what only the site owner can mend. */
export function tellOwner(state: State, helper: string): void {
  const { owner } = states[state];
  // Where the visitor is offline nothing is to be mended.
  if (owner === undefined || told.has(state) || (state === 'part-failed' && !navigator.onLine)) return;
  told.add(state);
  console.error(`Porchlight: helper ${helper}, page ${origin}: ${owner}`);
}

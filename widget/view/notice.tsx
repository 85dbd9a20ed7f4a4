/** One row of the table of states, as the visitor meets it: its sentence, its way out, and its voice. */
import { useEffect } from 'preact/hooks';
import { toReach, type WidgetCode } from '../errors.ts';
import { type State, states } from '../states.ts';
import { useChat } from './context.ts';
import { useCountdown } from './countdown.ts';
import { Icon } from './icons.tsx';

type NoticeProps = {
  state: State;
  values?: Record<string, string | number>;
  /** Said before, where the state alone does not tell enough. */
  before?: string | false;
  /** Why, and how long to wait. */
  cause?: { code: WidgetCode | undefined; retryAfterMs?: number | undefined; overAt?: number } | undefined;
  /** Does the same again. */
  again?: (() => void) | undefined;
  /** Another one is news, though the words are the same. */
  occasion?: unknown;
  /** Said elsewhere, or not new. */
  quiet?: boolean;
  class?: string | undefined;
};

/** 00:09, 04:12, 11:59:30 */
const toClock = (ms: number) => new Date(ms + 999).toJSON().slice(11, 19).replace(/^00:/, '');

export function Notice({ state, values, before, cause, again, occasion, quiet, class: kind }: NoticeProps) {
  const { panel, t, say, rest } = useChat();
  const { way, silent } = states[state];
  // Another page of the site ended the sign-in: here nothing helps but a reload.
  const isOver = panel.refused.value?.code === 'sso-token-expired';
  const now = performance.now();
  // What is drawn anew goes on waiting.
  if (cause) cause.overAt ??= now + (cause.retryAfterMs ?? 0);
  const waitMs = useCountdown(Math.max(0, (cause?.overAt ?? 0) - now), cause);
  const why = cause?.code && cause.code !== state ? ` ${t(toReach(cause.code))}` : '';
  const text = `${before ? `${before} ` : ''}${t(state, values)}${why}`;
  useEffect(() => {
    // What is no longer so is not there to be read.
    if (!silent && !quiet) return say(text);
  }, [text, occasion]);
  return (
    <div part={kind ? undefined : 'error'} class={kind ?? 'outcome failed'}>
      <p>{text}</p>
      {way === 'retry' && again && !isOver && (
        <button
          type="button"
          disabled={!!waitMs}
          onClick={() => {
            rest();
            again();
          }}
        >
          <Icon name="retry" />
          {waitMs ? t('retryIn', { time: toClock(waitMs) }) : t('retry')}
        </button>
      )}
    </div>
  );
}

/** Under an answer that has ended: copy it, say whether it helped, have it answered again, or ask otherwise. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Source } from '../../server-helper/protocol/wire.ts';
import { toWidgetError, type WidgetError } from '../errors.ts';
import { findFormer, keepFormer } from '../state/asking-again.ts';
import { words } from '../strings/en/actions.ts';
import css from '../styles/actions.css?inline';
import { useChat } from './context.ts';
import { useCopied } from './copied.ts';
import { Icon } from './icons.tsx';
import type { AnswerProps } from './message.tsx';
import { Notice } from './notice.tsx';

export { css, words };

const shapes = {
  copy: 'M9 9h10v10H9zM5 15V5h10',
  done: 'M5 12.500l4.500 4.500L19 7.500',
  up: 'M7.500 11v8H5v-8zm0 0l3.500-6.500c2.500 0 2.500 2 1.500 5H18c1 0 1.500.800 1.300 1.800l-1.200 6c-.200 1-.900 1.700-1.900 1.700H7.500',
  down: 'M7.500 13V5H5v8zm0 0l3.500 6.500c2.500 0 2.500-2 1.500-5H18c1 0 1.500-.800 1.300-1.800l-1.200-6C17.900 5.700 17.200 5 16.200 5H7.500',
  change: 'M5 19l1-4L16 5l3 3L9 18zM13.500 7.500l3 3',
};

type Vote = 'up' | 'down';

/** @param read makes what an answer says of its text and what it cites */
export type ActionsProps = AnswerProps & {
  read: (text: string, sources: readonly Source[]) => ComponentChildren;
};

export default function Actions({ entry, answer, onGrow, read }: ActionsProps) {
  const { conversation, panel, draft, changing, field, rest, say, t } = useChat();
  const row = useRef<HTMLDivElement>(null);
  const { turnId, question, known } = entry;
  const isLast = conversation.entries.value.at(-1) === entry;
  const isBusy = conversation.running.value !== undefined || panel.veil.value > 0;
  const former = isLast ? findFormer(draft, entry) : undefined;
  const { status, text, sources } = answer;
  useLayoutEffect(onGrow, []);
  useEffect(() => {
    // A table wider than the chat is scrolled by keyboard too.
    for (const table of row.current?.closest('article')?.querySelectorAll<HTMLElement>('.scroll') ?? [])
      if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
  }, [status]);

  const keep = () => {
    if (text !== '') keepFormer(draft, { turnId, question, text, sources });
  };
  const again = (text: string) => {
    keep();
    rest();
    conversation.send(text, turnId);
  };
  /** In the composer, where a draft is kept whatever happens. */
  const change = (text: string) => {
    keep();
    draft.value = text;
    changing.value = turnId;
    field.current?.focus({ preventScroll: true });
    const takeBack = say(t('changing'));
    const undo = changing.subscribe((now) => {
      if (now === turnId) return;
      takeBack();
      undo();
    });
  };

  const mayAskAgain = isLast && known && question !== undefined && !isBusy;
  return (
    <>
      <div class="row" ref={row} data-last={isLast}>
        {text !== '' && <Copy text={text} row={row} />}
        {status === 'completed' && <Votes entry={entry} answer={answer} />}
        {mayAskAgain && status !== 'failed' && (
          <button
            type="button"
            class="icon"
            aria-label={t('again')}
            title={t('again')}
            onClick={() => again(question)}
          >
            <Icon name="retry" />
          </button>
        )}
        {mayAskAgain && (
          <button
            type="button"
            class="icon"
            aria-label={t('change')}
            title={t('change')}
            // What the visitor is writing there stays.
            disabled={draft.value.trim() !== ''}
            onClick={() => change(question)}
          >
            <Icon path={shapes.change} />
          </button>
        )}
        {answer.at !== undefined && status !== 'failed' && <Time at={answer.at} />}
      </div>
      {former && (
        <details class="former" onToggle={() => onGrow(true)}>
          <summary>{t('former')}</summary>
          {former.question !== question && <p dir="auto">{former.question}</p>}
          <div class="body" lang="" dir="auto">
            {read(former.text, former.sources)}
          </div>
        </details>
      )}
    </>
  );
}

function Copy({ text, row }: { text: string; row: { current: HTMLElement | null } }) {
  const { t } = useChat();
  const findBody = () => row.current?.closest('article')?.querySelector('.body');
  const { isCopied, copy } = useCopied('answerCopied');
  const onClick = () => {
    const body = findBody();
    const shown = body?.cloneNode(true) as HTMLElement | undefined;
    for (const button of shown?.querySelectorAll('button') ?? []) button.remove();
    // A text editor takes the markdown, a document what it looks like.
    void copy(
      { 'text/plain': text, 'text/html': shown ? new XMLSerializer().serializeToString(shown) : '' },
      body,
    );
  };
  const label = t(isCopied ? 'answerCopied' : 'copyAnswer');
  return (
    <button type="button" class="icon" aria-label={label} title={label} onClick={onClick}>
      <Icon path={isCopied ? shapes.done : shapes.copy} />
    </button>
  );
}

function Votes({ entry, answer }: Pick<AnswerProps, 'entry' | 'answer'>) {
  const { conversation, sessions, say, t } = useChat();
  const failure = useSignal<WidgetError | undefined>(undefined);
  const isSending = useRef(false);
  const wish = useRef(answer.vote);
  const show = (vote: Vote | undefined) => {
    const now = entry.answer.value;
    if (now) entry.answer.value = { ...now, vote };
  };
  const vote = async (wanted: Vote | undefined) => {
    let kept = answer.vote;
    wish.current = wanted;
    show(wanted);
    failure.value = undefined;
    // What is clicked while one is on its way is told after it.
    if (isSending.current) return;
    isSending.current = true;
    const path = `/conversations/${conversation.id.value}/messages/${entry.turnId}.agent/vote`;
    try {
      while (wish.current !== kept) {
        const told = wish.current;
        await sessions.call({ method: 'PUT', path, body: { vote: told ?? 'none' } });
        kept = told;
      }
      say(t(kept ? 'voted' : 'unvoted'));
    } catch (error) {
      const last = wish.current;
      show(kept);
      failure.value = toWidgetError(error);
      again.current = () => vote(last);
    } finally {
      isSending.current = false;
    }
  };
  const again = useRef<() => void>(() => {});
  return (
    <>
      {(['up', 'down'] as const).map((which) => (
        <button
          key={which}
          type="button"
          class="icon"
          aria-label={t(which === 'up' ? 'voteUp' : 'voteDown')}
          title={t(which === 'up' ? 'voteUp' : 'voteDown')}
          aria-pressed={answer.vote === which}
          onClick={() => vote(answer.vote === which ? undefined : which)}
        >
          <Icon path={shapes[which]} />
        </button>
      ))}
      {failure.value && <Notice state="vote-failed" cause={failure.value} again={again.current} />}
    </>
  );
}

/** The hour, and the day if it is another one. */
function Time({ at }: { at: string }) {
  const { t } = useChat();
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return null;
  const isToday = date.toDateString() === new Date().toDateString();
  const day = isToday ? {} : ({ day: 'numeric', month: 'short' } as const);
  return (
    <time dateTime={at}>
      {date.toLocaleString(t('language'), { hour: 'numeric', minute: '2-digit', ...day })}
    </time>
  );
}

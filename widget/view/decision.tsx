/** A paused turn: the card on which the visitor allows, declines, or answers. */
import { type Signal, signal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { Question } from '../../server-helper/protocol/wire.ts';
import { createDeciding } from '../state/deciding.ts';
import type { Entry } from '../state/entries.ts';
import { words } from '../strings/en/decision.ts';
import css from '../styles/decision.css?inline';
import { Approval } from './approval.tsx';
import { useChat } from './context.ts';
import { type DecisionProps, OpenUntil, useDecided, useGuard } from './decided.tsx';
import { isEnter } from './enter.ts';
import { maxAnswerChars, useTypedAnswer } from './typed-answer.ts';

export { css, words };

/** Asked again no sooner: this clock may be ahead of the helper's. */
const betweenMs = 10_000;
const mostTimerMs = 2 ** 31 - 1;

export default function Decision({ entry, pause, onGrow }: DecisionProps & { onGrow: () => void }) {
  const { conversation } = useChat();
  useLayoutEffect(onGrow, []);
  useEffect(() => createDeciding(conversation.deciding).recheck(entry.turnId), [pause.expiresAt]);
  useEffect(() => {
    const leftMs = Date.parse(pause.expiresAt) - Date.now();
    if (!(leftMs < mostTimerMs)) return;
    const timer = setTimeout(
      () => createDeciding(conversation.deciding).expire(entry.turnId),
      Math.max(leftMs, betweenMs),
    );
    return () => clearTimeout(timer);
  }, [pause]);
  return pause.kind === 'question' ? (
    <Questions entry={entry} pause={pause} />
  ) : (
    <Approval entry={entry} pause={pause} />
  );
}

type Draft = Signal<readonly { text: string; isChosen: boolean }[]>;
/**
 * What is half filled in, as long as the turn waits: closing the chat, looking elsewhere or hearing the same again loses
 * none of it.
 */
const drafts = new WeakMap<Entry, { asked: string; draft: Draft }>();

function findDraft(entry: Entry, questions: readonly Question[]): Draft {
  const asked = JSON.stringify(questions);
  const kept = drafts.get(entry);
  if (kept?.asked === asked) return kept.draft;
  const draft: Draft = signal(questions.map(() => ({ text: '', isChosen: false })));
  drafts.set(entry, { asked, draft });
  return draft;
}

const none: readonly Question[] = [];

function Questions({ entry, pause }: DecisionProps) {
  const { conversation, draft, rest, t } = useChat();
  const questions = pause.questions ?? none;
  const answers = findDraft(entry, questions);
  const decided = useDecided(entry);
  const answer = (index: number, text: string, isChosen = false) => {
    answers.value = answers.value.map((old, at) => (at === index ? { text, isChosen } : old));
  };
  const send = () => {
    decided.value = true;
    return createDeciding(conversation.deciding)
      .decide(
        entry.turnId,
        'answer',
        answers.value.map(({ text }) => text.trim()),
      )
      .finally(() => {
        decided.value = false;
      });
  };
  const choose = (index: number, option: string) => {
    answer(index, option, true);
    if (questions.length !== 1) return;
    rest();
    send();
  };
  const isComplete = answers.value.every(({ text }) => text.trim() !== '');
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isComplete) return;
    rest();
    send();
  };
  const isOne = questions.length === 1 && !decided.value;
  useTypedAnswer(
    isOne
      ? (text) => {
          answer(0, text);
          // Until it has arrived it is the draft that it was.
          const undo = entry.answer.subscribe((now) => {
            if (now?.status === 'writing' && draft.value.trim() === text) draft.value = '';
          });
          send().finally(undo);
        }
      : undefined,
  );
  return (
    <form
      class="decision"
      aria-label={t('questionTitle')}
      onClickCapture={useGuard()}
      onSubmit={submit}
      // In a frame without `allow-forms` nothing is submitted.
      onKeyDown={(event) => {
        if (isEnter(event) && !event.repeat && (event.target as Element).matches('input')) submit(event);
      }}
    >
      {questions.map(({ question, options }, index) => (
        <fieldset key={question} disabled={decided.value}>
          <legend dir="auto">{question}</legend>
          <div class="actions">
            {options.map((option) => (
              <button
                type="button"
                key={option}
                aria-pressed={answers.value[index]?.isChosen === true && answers.value[index].text === option}
                onClick={() => choose(index, option)}
              >
                {option}
              </button>
            ))}
          </div>
          <input
            type="text"
            aria-label={t('ownAnswer')}
            placeholder={t('ownAnswer')}
            maxLength={maxAnswerChars}
            value={answers.value[index]?.isChosen ? '' : answers.value[index]?.text}
            onInput={(event) => answer(index, event.currentTarget.value)}
          />
        </fieldset>
      ))}
      <OpenUntil pause={pause} />
      <div class="actions">
        <button type="button" class="primary" disabled={decided.value || !isComplete} onClick={submit}>
          {t('answer')}
        </button>
        <button
          type="button"
          aria-disabled={conversation.isBusy.value}
          onClick={() => {
            rest();
            conversation.stop();
          }}
        >
          {t('stop')}
        </button>
      </div>
    </form>
  );
}

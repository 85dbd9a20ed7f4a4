/** A paused turn: the card on which the visitor allows, declines, or answers. */
import { useSignal } from '@preact/signals';
import type { Question, TurnEventData } from '../../server-helper/protocol/wire.ts';
import { useChat } from './context.ts';

type DecisionProps = { turnId: string; pause: TurnEventData['turn-paused'] };

export function Decision({ turnId, pause }: DecisionProps) {
  return pause.kind === 'question' ? (
    <Questions turnId={turnId} questions={pause.questions ?? []} />
  ) : (
    <Approval turnId={turnId} pause={pause} />
  );
}

function Approval({ turnId, pause }: DecisionProps) {
  const { conversation, t } = useChat();
  const decided = useSignal(false);
  const isPlan = pause.kind === 'plan';
  const decide = (decision: 'approve' | 'deny') => {
    decided.value = true;
    conversation.decide(turnId, decision).finally(() => {
      decided.value = false;
    });
  };
  return (
    <section class="card" aria-label={t(isPlan ? 'planTitle' : 'approvalTitle')}>
      <h3>{t(isPlan ? 'planTitle' : 'approvalTitle')}</h3>
      <p>
        <strong>{pause.tool.title}</strong>
        {pause.tool.description && `: ${pause.tool.description}`}
      </p>
      <dl>
        {Object.entries(pause.tool.parameters).map(([name, value]) => (
          <div key={name}>
            <dt>{toWords(name)}</dt>
            <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <button type="button" class="primary" disabled={decided.value} onClick={() => decide('approve')}>
          {t(isPlan ? 'acceptPlan' : 'approve')}
        </button>
        <button type="button" disabled={decided.value} onClick={() => decide('deny')}>
          {t(isPlan ? 'denyPlan' : 'deny')}
        </button>
      </div>
    </section>
  );
}

/** `orderNumber` → `order number`. */
function toWords(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase();
}

function Questions({ turnId, questions }: { turnId: string; questions: Question[] }) {
  const { conversation, t } = useChat();
  const answers = useSignal<readonly string[]>(questions.map(() => ''));
  const decided = useSignal(false);
  const answer = (index: number, text: string) => {
    answers.value = answers.value.map((old, at) => (at === index ? text : old));
  };
  const send = () => {
    decided.value = true;
    conversation
      .decide(
        turnId,
        'answer',
        answers.value.map((text) => text.trim()),
      )
      .finally(() => {
        decided.value = false;
      });
  };
  const choose = (index: number, option: string) => {
    answer(index, option);
    if (questions.length === 1) send();
  };
  const isComplete = answers.value.every((text) => text.trim() !== '');
  return (
    <form
      class="card"
      aria-label={t('questionTitle')}
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete) send();
      }}
    >
      {questions.map(({ question, options }, index) => (
        <fieldset key={question} disabled={decided.value}>
          <legend>{question}</legend>
          <div class="actions">
            {options.map((option) => (
              <button
                type="button"
                key={option}
                aria-pressed={answers.value[index] === option}
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
            maxLength={2000}
            value={options.includes(answers.value[index] ?? '') ? '' : answers.value[index]}
            onInput={(event) => answer(index, event.currentTarget.value)}
          />
        </fieldset>
      ))}
      <div class="actions">
        <button type="submit" class="primary" disabled={decided.value || !isComplete}>
          {t('answer')}
        </button>
      </div>
    </form>
  );
}

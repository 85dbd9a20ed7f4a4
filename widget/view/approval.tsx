/** The card of a tool that waits to be allowed, or of a plan. */
import { createDeciding } from '../state/deciding.ts';
import { useChat } from './context.ts';
import { type DecisionProps, OpenUntil, useDecided, useGuard } from './decided.tsx';

export function Approval({ entry, pause }: DecisionProps) {
  const { conversation, rest, t } = useChat();
  const decided = useDecided(entry);
  const isPlan = pause.kind === 'plan';
  const decide = (decision: 'approve' | 'deny') => {
    rest();
    decided.value = true;
    createDeciding(conversation.deciding)
      .decide(entry.turnId, decision, undefined, () => {
        // What was planned is done now.
        if (isPlan && decision === 'approve') conversation.chosen.value = { mode: 'edit' };
      })
      .finally(() => {
        decided.value = false;
      });
  };
  return (
    <section
      class="decision"
      aria-label={t(isPlan ? 'planTitle' : 'approvalTitle')}
      onClickCapture={useGuard()}
    >
      <p class="title">{t(isPlan ? 'planTitle' : 'approvalTitle')}</p>
      {isPlan ? (
        <Plan {...pause.tool.parameters} />
      ) : (
        <>
          <p dir="auto">
            <strong>{pause.tool.title}</strong>
            {pause.tool.description && `: ${pause.tool.description}`}
          </p>
          <Values values={pause.tool.parameters} />
        </>
      )}
      <OpenUntil pause={pause} />
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

/** What the agent's tool is called and described as is its own affair. */
function Plan({ title, steps, ...more }: Record<string, unknown>) {
  const isList = isTexts(steps);
  return (
    <>
      {typeof title === 'string' && (
        <p dir="auto">
          <strong>{title}</strong>
        </p>
      )}
      {isList && (
        <ol>
          {steps.map((step, index) => (
            <li key={index} dir="auto">
              {step}
            </li>
          ))}
        </ol>
      )}
      <Values values={{ ...more, ...(!isList && steps !== undefined && { steps }) }} />
    </>
  );
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function Values({ values }: { values: Record<string, unknown> }) {
  return (
    <dl>
      {Object.entries(values).map(([name, value]) => (
        <div key={name}>
          <dt>{toWords(name)}</dt>
          <dd dir="auto">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** `orderNumber` → `order number`. */
function toWords(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase();
}

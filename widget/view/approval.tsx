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
        const { chosen, told } = conversation;
        // What was planned is done now, unless something else was chosen meanwhile.
        if (isPlan && decision === 'approve' && (chosen.value ?? told.value)?.mode === 'plan')
          chosen.value = { mode: 'edit' };
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
function Plan(values: Record<string, unknown>) {
  const { title, steps, ...more } = values;
  if (typeof title !== 'string' || !isTexts(steps)) return <Values values={values} />;
  return (
    <>
      {title && (
        <p dir="auto">
          <strong>{title}</strong>
        </p>
      )}
      <ol>
        {steps.map((step, index) => (
          <li key={index} dir="auto">
            {step}
          </li>
        ))}
      </ol>
      <Values values={more} />
    </>
  );
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');

function Values({ values }: { values: Record<string, unknown> }) {
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return (
    <dl>
      {entries.map(([name, value]) => (
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

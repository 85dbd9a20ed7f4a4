/** What the agent does before it answers: what it thinks, folded, with how long that took, what it asked, and what it uses. Loaded with the first. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isRunning, type ToolUse } from '../state/turn.ts';
import { words } from '../strings/en/work.ts';
import css from '../styles/work.css?inline';
import { useChat } from './context.ts';
import type { AnswerProps } from './message.tsx';

export { css, words };

const key = { running: 'toolRunning', done: 'toolDone', failed: 'toolFailed' } as const;

export default function Work(props: AnswerProps) {
  const { t } = useChat();
  const { answer } = props;
  const { reasoning } = answer;
  // Of what was cut off no end is told: it may have been done.
  const isCut = answer.status === 'stopped' || answer.status === 'failed';
  const tools = answer.tools.filter(({ status }) => status !== 'running' || isCut || isRunning(answer));
  const toKey = (status: ToolUse['status']) => (status === 'running' && isCut ? 'toolCut' : key[status]);
  useLayoutEffect(props.onGrow, []);
  return (
    <>
      {reasoning && <Reasoning {...props} />}
      {answer.said && (
        <dl class="said">
          {answer.said.map(({ question, answer: text }, index) => (
            <div key={index}>
              <dt dir="auto">{question}</dt>
              <dd dir="auto">{text}</dd>
            </div>
          ))}
        </dl>
      )}
      {tools.length > 0 && (
        <ul class="tools">
          {tools.map((tool) => (
            <li key={tool.id}>
              {t(toKey(tool.status) ?? 'toolRunning', { title: tool.title ?? tool.name })}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Reasoning({ answer, onGrow }: AnswerProps) {
  const { t } = useChat();
  const began = useRef(performance.now());
  const tookMs = useSignal<number | undefined>(undefined);
  const isOver = answer.text !== '' || answer.status !== 'writing';
  useLayoutEffect(() => {
    if (isOver) tookMs.value ??= performance.now() - began.current;
  }, [isOver]);
  useLayoutEffect(onGrow, [isOver]);
  const seconds = Math.round((tookMs.value ?? 0) / 1_000);
  const unit = new Intl.NumberFormat(t('language'), { style: 'unit', unit: 'second', unitDisplay: 'long' });
  // After a reload all of it comes at once: how long it took is not known.
  const told = seconds > 0 ? t('reasoned', { time: unit.format(seconds) }) : t('thought');
  return (
    <details class="reasoning" onToggle={() => onGrow(true)}>
      <summary>{isOver ? told : t('reasoning')}</summary>
      <p lang="" dir="auto">
        {answer.reasoning}
      </p>
    </details>
  );
}

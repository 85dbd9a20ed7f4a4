/** What the agent uses for an answer, in words. Loaded with the first. */
import { useLayoutEffect } from 'preact/hooks';
import { words } from '../strings/en/tools.ts';
import { useChat } from './context.ts';
import type { AnswerProps } from './message.tsx';

export { words };

const key = { running: 'toolRunning', done: 'toolDone', failed: 'toolFailed' } as const;

export default function Tools({ answer, onGrow }: AnswerProps) {
  const { t } = useChat();
  useLayoutEffect(onGrow, []);
  return (
    <ul class="tools">
      {answer.tools.map((tool) => (
        <li key={tool.id}>{t(key[tool.status], { title: tool.title ?? tool.name })}</li>
      ))}
    </ul>
  );
}

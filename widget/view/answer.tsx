/** What an answer says, read as markdown: loaded while the first question is on its way. */
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { references } from '../markdown/entities.ts';
import { Markdown } from '../markdown/markdown.tsx';
import type { RenderContext } from '../markdown/render.tsx';
import css from '../styles/answer.css?inline';
import { useChat } from './context.ts';
import type { AnswerProps } from './message.tsx';
import { createPart } from './part.tsx';
import type { SourcesProps } from './sources.tsx';

export { css };

/** With the first answer that cites something; until it is there the words are all there is. */
const Sources = createPart<SourcesProps>(
  () => import('./sources.tsx'),
  () => null,
);

/** With the first code. */
const CopyButton = createPart<{ text: string }>(
  () => import('./copy.tsx'),
  () => null,
);

/** Few select in an answer while it grows: there before the next of its words, once somebody begins to. */
let keepSelection: typeof import('./selection.ts').keepSelection | undefined;
const onSelectStart = () => {
  if (!keepSelection)
    import('./selection.ts').then(
      (module) => {
        keepSelection = module.keepSelection;
      },
      () => {},
    );
};

export default function Words({ entry, answer, onGrow }: AnswerProps) {
  const strings = useChat().strings.value;
  const context = useMemo<RenderContext>(
    () => ({ strings, copyButton: (code) => <CopyButton text={code} /> }),
    [strings, references.value],
  );
  const body = useRef<HTMLDivElement>(null);
  const selectAgain = keepSelection?.(body.current);
  useLayoutEffect(() => {
    selectAgain?.();
    onGrow();
  }, [answer]);
  useEffect(() => body.current?.addEventListener('selectstart', onSelectStart), []);
  const isSettled = answer.status === 'completed';
  useEffect(() => {
    // A table wider than the chat is scrolled by keyboard too.
    const area = body.current;
    if (isSettled && area && area.scrollWidth > area.clientWidth) area.tabIndex = 0;
  }, [isSettled]);
  return (
    <>
      <div part="body" class="body" lang="" dir="auto" ref={body}>
        <Markdown text={answer.text} context={context} />
      </div>
      {answer.sources.length > 0 && answer.status !== 'sending' && <Sources entry={entry} answer={answer} />}
    </>
  );
}

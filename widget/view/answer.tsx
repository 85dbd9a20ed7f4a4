/** What an answer says, read as markdown: loaded while the first question is on its way. */
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { references } from '../markdown/entities.ts';
import { Markdown } from '../markdown/markdown.tsx';
import type { RenderContext } from '../markdown/render.tsx';
import { toSafeLink } from '../markdown/url.ts';
import { words } from '../strings/en/answer.ts';
import css from '../styles/answer.css?inline';
import type { ActionsProps } from './actions.tsx';
import { useChat } from './context.ts';
import type { AnswerProps } from './message.tsx';
import { createPart } from './part.tsx';
import type { SourcesProps } from './sources.tsx';

export { css, words };

/** With the first answer that cites something; until it is there the words are all there is. */
const Sources = createPart<SourcesProps>(
  () => import('./sources.tsx'),
  () => null,
);

/** With the first answer that has ended. */
const Actions = createPart<ActionsProps>(
  () => import('./actions.tsx'),
  () => null,
);

/** With the first code. */
const CodeButtons = createPart<{ text: string }>(
  () => import('./code.tsx'),
  () => null,
);

let selection: typeof import('./selection.ts') | undefined;
/** With the first pointer over an answer, or the first selection made by keyboard: before anything can be selected. */
const loadSelection = () =>
  void import('./selection.ts').then(
    (part) => {
      selection = part;
    },
    () => {},
  );

/** `completed`, `stopped`, `failed`. */
const hasEnded = /^[cf]|op/;

export default function Words({ entry, answer, onGrow }: AnswerProps) {
  const strings = useChat().strings.value;
  const context = useMemo<RenderContext>(
    () => ({ strings, sources: answer.sources, codeButtons: (code) => <CodeButtons text={code} /> }),
    [strings, references.value, answer.sources],
  );
  const body = useRef<HTMLDivElement>(null);
  const selectAgain = selection?.keepSelection(body.current);
  useLayoutEffect(() => {
    selectAgain?.();
    onGrow();
  }, [answer]);
  const isSettled = answer.status === 'completed';
  return (
    <>
      <div
        part="body"
        // A translator would put words of its own in the place of those that still grow.
        class={isSettled ? 'body' : 'body notranslate'}
        lang=""
        dir="auto"
        ref={body}
        onPointerEnter={loadSelection}
        onSelectStart={loadSelection}
      >
        <Markdown text={answer.text} context={context} />
      </div>
      {answer.sources.length > 0 && answer.status !== 'sending' && (
        <Sources entry={entry} answer={answer} onGrow={onGrow} toLink={toSafeLink} />
      )}
      {hasEnded.test(answer.status) && (
        <div class="acts">
          <Actions
            entry={entry}
            answer={answer}
            onGrow={onGrow}
            read={(text, sources) => <Markdown text={text} context={{ ...context, sources }} />}
          />
        </div>
      )}
    </>
  );
}

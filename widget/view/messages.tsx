/** The conversation: its turns in order, kept at the end while it grows unless the visitor has scrolled up. */
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { sentences } from '../errors.ts';
import { useChat } from './context.ts';
import { Turn } from './message.tsx';

const nearEndPx = 60;
const nearTopPx = 120;

export function Messages() {
  const { panel, conversation, t, keeps } = useChat();
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const entries = conversation.entries.value;
  const newest = entries.at(-1)?.turnId;

  // Writes only: where the list stands is read when the visitor scrolls, never while an answer streams.
  const stayAtEnd = useCallback(() => {
    if (isAtEnd.current && list.current) list.current.scrollTop = Number.MAX_SAFE_INTEGER;
  }, []);
  // A new turn is followed wherever the visitor was.
  useEffect(() => {
    isAtEnd.current = true;
    stayAtEnd();
  }, [newest, stayAtEnd]);

  const onScroll = async () => {
    const area = list.current;
    if (!area) return;
    isAtEnd.current = area.scrollHeight - area.scrollTop - area.clientHeight < nearEndPx;
    if (area.scrollTop < nearTopPx && conversation.hasOlder.value) await loadOlder(area);
  };
  const loadOlder = async (area: HTMLElement) => {
    const fromEnd = area.scrollHeight - area.scrollTop;
    await conversation.loadOlder();
    // What was in view stays in view.
    requestAnimationFrame(() => {
      area.scrollTop = area.scrollHeight - fromEnd;
    });
  };

  return (
    <div
      class="messages"
      ref={list}
      onScroll={onScroll}
      role="log"
      aria-live="off"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={t('panel', { name: panel.session.value?.agent.name ?? '' })}
    >
      {entries.length === 0 && <Welcome />}
      {conversation.hasOlder.value && (
        <button type="button" class="quiet" onClick={() => list.current && loadOlder(list.current)}>
          {t('older')}
        </button>
      )}
      {entries.map((entry) => (
        <Turn key={entry.turnId} entry={entry} onGrow={stayAtEnd} />
      ))}
      {conversation.problem.value && <p class="outcome failed">{t(sentences[conversation.problem.value])}</p>}
      {entries.length > 0 && !keeps() && <p class="outcome">{t('notKept')}</p>}
    </div>
  );
}

function Welcome() {
  const { panel, conversation, t } = useChat();
  const session = panel.session.value;
  const refused = panel.refused.value;
  if (refused) return <p class="outcome failed">{t(sentences[refused])}</p>;
  if (!session || conversation.loading.value) return <p class="outcome">{t('loading')}</p>;
  const { agent } = session;
  return (
    <div class="welcome">
      {agent.greetings.map((greeting) => (
        <p key={greeting}>{greeting}</p>
      ))}
      {agent.starters.length > 0 && (
        <div class="starters">
          {agent.starters.map((starter) => (
            <button type="button" key={starter} onClick={() => conversation.send(starter)}>
              {starter}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

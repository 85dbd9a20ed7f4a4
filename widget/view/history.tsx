/** All conversations of the visitor, newest first, and a search among their titles. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ConversationList } from '../../server-helper/protocol/wire.ts';
import { toWidgetError, WidgetError } from '../errors.ts';
import { words } from '../strings/en/history.ts';
import css from '../styles/history.css?inline';
import { useChat } from './context.ts';
import { Row } from './history-row.tsx';
import { Notice } from './notice.tsx';
import { createPart } from './part.tsx';

export { css, words };

const MyData = createPart(() => import('./my-data.tsx'));

const glance = 8;
/** Rows that fill the panel. */
const enough = 10;
/** Without case and accents. */
const toPlain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();

export default function History() {
  const { conversation, sessions, panel, list, say, t } = useChat();
  /** A guest who signs in has more conversations. */
  const subject = panel.session.value?.subject;
  const area = useRef<HTMLElement>(null);
  const isLoading = useRef(false);
  const failure = useSignal<WidgetError | undefined>(undefined);
  const failedAt = useRef<string | undefined>(undefined);
  const { conversations, next } = list.value ?? {};
  const error = failure.value;
  const sought = useSignal('');
  const showsData = useSignal(false);
  const isSought = (title: string) => toPlain(title).includes(toPlain(sought.value));
  /** Renamed just now: it stays in sight, whatever it is called. */
  const stays = useSignal<string | undefined>(undefined);
  const found = conversations?.filter(
    ({ id, title }) => id === stays.value || isSought(title || t('untitled')),
  );
  // A list that is seen at a glance needs none.
  const mayBeSearched = sought.value !== '' || next !== undefined || (conversations?.length ?? 0) > glance;
  /** @param cursor where the rows that are shown go on */
  const load = async (cursor?: string) => {
    if (isLoading.current) return;
    isLoading.current = true;
    const mine = panel.session.value?.subject;
    const seen = list.value;
    const query = cursor ? `?cursor=${encodeURIComponent(cursor)}` : '';
    const told = await sessions
      .call({ method: 'GET', path: `/conversations${query}` }, mine)
      .then((response) => response.json())
      // What came from something before the helper may be anything.
      .then((reply: ConversationList) => ({ ...reply, conversations: [...reply.conversations] }))
      .catch(toWidgetError);
    isLoading.current = false;
    // The list was left: the next one reads for itself.
    if (!area.current) return;
    // Somebody else is there by now, or a guest has signed in.
    const isOthers = panel.session.value?.subject !== mine;
    // A row that was deleted or renamed meanwhile would come back as it was, and all rows after all were erased.
    const isOld = cursor ? list.value?.next !== cursor : list.value !== seen;
    if (isOthers || isOld) return load();
    failure.value = undefined;
    if (told instanceof WidgetError) {
      failedAt.current = cursor;
      failure.value = told;
      return;
    }
    const before = (cursor && list.value?.conversations) || [];
    list.value = { ...told, conversations: [...before, ...told.conversations] };
  };
  // What was on its way when the list was read is the first of it.
  const awaited = conversations?.length === 0 ? conversation.running.value : undefined;
  useEffect(() => {
    void load();
  }, [subject, awaited]);
  const isNoneFound = sought.value !== '' && next === undefined && !!conversations?.[0] && !found?.[0];
  useEffect(() => (isNoneFound ? say(t('noneFound')) : undefined), [isNoneFound]);
  // What is sought may be further back.
  useEffect(() => {
    if (sought.value !== '' && next !== undefined && !error && (found?.length ?? 0) < enough) void load(next);
  }, [sought.value, list.value]);
  const loadMore = async () => {
    await load(next);
    if (list.value?.next === undefined) area.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
    <section part="history" class="messages history" aria-label={t('history')} tabIndex={0} ref={area}>
      {!conversations && !error && <Notice state="loading" class="outcome" />}
      {conversations?.length === 0 && <p class="outcome">{t('noHistory')}</p>}
      {mayBeSearched && (
        <input
          type="search"
          dir={sought.value ? 'auto' : undefined}
          enterkeyhint="search"
          aria-label={t('search')}
          placeholder={t('search')}
          value={sought.value}
          onInput={({ currentTarget }) => {
            sought.value = currentTarget.value;
            stays.value = undefined;
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || event.isComposing || sought.value === '') return;
            // Of the field, and not of the chat.
            event.stopPropagation();
            sought.value = '';
          }}
        />
      )}
      {isNoneFound && <p class="outcome">{t('noneFound')}</p>}
      <ul>
        {found?.map((one) => (
          <Row
            key={one.id}
            conversation={one}
            onRenamed={() => {
              stays.value = one.id;
            }}
          />
        ))}
      </ul>
      {error && <Notice state="list-failed" cause={error} again={() => load(failedAt.current)} />}
      {next !== undefined && !error && (
        <button type="button" class="quiet" onClick={loadMore}>
          {t('more')}
        </button>
      )}
      {conversations !== undefined && conversations.length > 0 && (
        <details
          onToggle={({ currentTarget }) => {
            showsData.value = currentTarget.open;
          }}
        >
          <summary>{t('myData')}</summary>
          {showsData.value && <MyData key={subject} />}
        </details>
      )}
    </section>
  );
}

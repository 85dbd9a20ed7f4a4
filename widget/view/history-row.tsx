/** One conversation of the list: to open it, to give it another title, or to delete it for good. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { ConversationSummary } from '../../server-helper/protocol/wire.ts';
import { toWidgetError, type WidgetError } from '../errors.ts';
import { useChat } from './context.ts';
import { isEnter } from './enter.ts';
import { Icon } from './icons.tsx';
import { Notice } from './notice.tsx';

/** The hour of today's; of another year's, the year too. */
function toDay(at: string, language: string): string {
  const [date, now] = [new Date(at), new Date()];
  if (date.toDateString() === now.toDateString())
    return date.toLocaleTimeString(language, { hour: 'numeric', minute: '2-digit' });
  const year = date.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const);
  return date.toLocaleDateString(language, { day: 'numeric', month: 'short', ...year });
}

/** As the helper takes: its limits imported would weigh on the app. */
const maxTitleChars = 200;

type RowProps = { conversation: ConversationSummary; onRenamed: () => void };

export function Row({ conversation: { id, title, updatedAt }, onRenamed }: RowProps) {
  const { sessions, tabs, panel, conversation, list, hint, rest, say, t } = useChat();
  /** What is being done with it. */
  const act = useSignal<'rename' | 'delete' | undefined>(undefined);
  const failure = useSignal<WidgetError | undefined>(undefined);
  const row = useRef<HTMLLIElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const pencil = useRef<HTMLButtonElement>(null);
  const trash = useRef<HTMLButtonElement>(null);
  const name = title || t('untitled');
  const open = () => {
    rest();
    panel.show('conversation');
    if (conversation.id.value !== id) void conversation.load(id);
  };
  /** A slow reply finds the visitor elsewhere, perhaps writing: there the focus stays. */
  const isElsewhere = () => {
    const root = row.current?.getRootNode() as Document | ShadowRoot | undefined;
    const active = root?.activeElement ?? document.activeElement;
    return !row.current || (active !== document.body && !row.current.contains(active));
  };
  const begin = (what: 'rename' | 'delete' | undefined) => {
    const before = act.value;
    const moves = what !== undefined || (before !== undefined && !isElsewhere());
    act.value = what;
    failure.value = undefined;
    // The one that is drawn next: what was clicked goes away.
    const next = what ? (what === 'rename' ? field : keep) : before === 'rename' ? pencil : trash;
    if (moves) queueMicrotask(() => next.current?.focus());
  };
  const fail = (what: 'rename' | 'delete', error: unknown) => {
    // The list was left meanwhile, or this was given up: what could be tried again here is something else by now.
    if (!row.current || act.value !== what) hint.value = { state: `${what}-failed` };
    else failure.value = toWidgetError(error);
  };
  const isSaving = useRef(false);
  const replace = (change: (all: ConversationSummary[]) => ConversationSummary[]) => {
    if (list.value) list.value = { ...list.value, conversations: change(list.value.conversations) };
  };
  const rename = async () => {
    const wanted = field.current?.value.trim() ?? '';
    if (isSaving.current) return;
    if (wanted === '' || wanted === title) return begin(undefined);
    isSaving.current = true;
    try {
      await sessions.call({ method: 'PATCH', path: `/conversations/${id}`, body: { title: wanted } });
    } catch (error) {
      return fail('rename', error);
    } finally {
      isSaving.current = false;
    }
    onRenamed();
    say(t('renamed'));
    replace((all) => all.map((one) => (one.id === id ? { ...one, title: wanted } : one)));
    // Another title may stand in its field by now.
    if (act.value === 'rename' && field.current?.value.trim() === wanted) begin(undefined);
  };
  /** It is on its way, and nothing calls it back. */
  const isRemoving = useSignal(false);
  const remove = async () => {
    if (isRemoving.value) return;
    isRemoving.value = true;
    const beside = row.current?.nextElementSibling ?? row.current?.previousElementSibling;
    const area = row.current?.closest<HTMLElement>('.history');
    try {
      await sessions.call({ method: 'DELETE', path: `/conversations/${id}` });
    } catch (error) {
      // Gone already: that is what was wanted.
      if (toWidgetError(error).code !== 'not-found') return fail('delete', error);
    } finally {
      isRemoving.value = false;
    }
    const moves = !isElsewhere();
    say(t('removed'));
    tabs.tell({ kind: 'deleted', conversationId: id });
    replace((all) => all.filter((one) => one.id !== id));
    if (moves) (beside?.querySelector('button') ?? area)?.focus();
    if (conversation.id.value === id) conversation.startNew();
  };
  const giveUp = () => isRemoving.value || begin(undefined);
  /** Of what is being done, and not of the chat. */
  const onEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.stopPropagation();
    giveUp();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void rename();
  };
  if (act.value === 'rename')
    return (
      <li ref={row}>
        <form
          class="actions"
          onSubmit={submit}
          onKeyDown={(event) => {
            onEscape(event);
            // In a frame without `allow-forms` nothing is submitted.
            if (isEnter(event) && !event.repeat && event.target === field.current) submit(event);
          }}
        >
          <input
            ref={field}
            dir="auto"
            maxLength={maxTitleChars}
            aria-label={t('title')}
            defaultValue={title}
            // What is typed already is gone on with.
            onFocus={({ currentTarget }) => currentTarget.value === title && currentTarget.select()}
          />
          <button type="button" onClick={rename}>
            {t('save')}
          </button>
        </form>
        {failure.value && <Notice state="rename-failed" cause={failure.value} again={rename} />}
      </li>
    );
  return (
    <li ref={row}>
      <button type="button" class="open" onClick={open}>
        <span dir="auto">{name}</span>
        <time dateTime={updatedAt}>{toDay(updatedAt, t('language'))}</time>
      </button>
      {act.value === 'delete' ? (
        // biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons in it
        <span class="actions" onKeyDown={onEscape}>
          <button type="button" class="danger" aria-disabled={isRemoving.value} onClick={remove}>
            {t('removeSure')}
          </button>
          <button type="button" ref={keep} aria-disabled={isRemoving.value} onClick={giveUp}>
            {t('keep')}
          </button>
        </span>
      ) : (
        <>
          <button
            type="button"
            class="icon"
            ref={pencil}
            aria-label={t('renameTitle', { title: name })}
            onClick={() => begin('rename')}
          >
            <Icon path="M5 19l1-4L16 5l3 3L9 18zM13.500 7.500l3 3" />
          </button>
          <button
            type="button"
            class="icon"
            ref={trash}
            aria-label={t('removeTitle', { title: name })}
            onClick={() => begin('delete')}
          >
            <Icon path="M5 7h14M9.5 7V4.500h5V7M7 7l.8 12.500h8.400L17 7" />
          </button>
        </>
      )}
      {failure.value && <Notice state="delete-failed" cause={failure.value} again={remove} />}
    </li>
  );
}

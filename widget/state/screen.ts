/** What of a conversation is on screen, and the one scope that everything begun for it ends with. */
import { batch, signal } from '@preact/signals';
import type { ConversationReply, TurnRequest } from '../../server-helper/protocol/wire.ts';
import type { WidgetCode, WidgetError } from '../errors.ts';
import type { Situation } from '../states.ts';
import { createEntry, type Entry, toEntries } from './entries.ts';
import type { Answer } from './turn.ts';

/** What could not be done, why, and how it is tried again where a click may do that. */
export type Problem = { situation: Situation; cause: WidgetError; again?: (() => void) | undefined };

export type Screen = ReturnType<typeof createScreen>;

export function createScreen() {
  const id = signal<string | undefined>(undefined);
  const entries = signal<readonly Entry[]>([]);
  /** The turn that runs, if one does. */
  const running = signal<string | undefined>(undefined);
  const loading = signal(false);
  /** Why the connection is lost, while it is being looked for. */
  const lost = signal<WidgetCode | undefined>(undefined);
  const problem = signal<Problem | undefined>(undefined);
  /** The helper has been told of Stop, and has not answered yet. */
  const isBusy = signal(false);
  /** Of the oldest page that is shown: where what was said before begins, and which mode the conversation has. */
  const told = signal<Pick<ConversationReply, 'next' | 'mode'> | undefined>(undefined);
  /** The mode that a project member chose since, for every question from then on. */
  const chosen = signal<Pick<TurnRequest, 'mode'> | undefined>(undefined);
  let scope = new AbortController();

  return {
    id,
    entries,
    running,
    loading,
    lost,
    problem,
    isBusy,
    told,
    chosen,
    /** Aborted when another conversation takes this one's place. */
    get signal() {
      return scope.signal;
    },
    /** Ends all that was begun, and shows nothing of it. */
    clear(nextId: string | undefined) {
      this.endAll();
      batch(() => {
        id.value = nextId;
        entries.value = [];
        problem.value = undefined;
        told.value = undefined;
        chosen.value = undefined;
      });
    },
    endAll() {
      scope.abort();
      scope = new AbortController();
      batch(() => {
        running.value = undefined;
        loading.value = false;
        lost.value = undefined;
      });
    },
    /** By what was begun for what is on screen now. */
    isFollowed: (entry: Entry) => entry.followedBy?.signal === scope.signal && !entry.isDropped,
    find: (turnId: string) => entries.value.find((entry) => entry.turnId === turnId),
    add(turnId: string, question: TurnRequest | undefined, answer: Answer): Entry {
      const entry = createEntry(turnId, question?.text, answer);
      if (question) entry.request = question;
      entries.value = [...entries.value, entry];
      return entry;
    },
    remove(turnId: string) {
      entries.value = entries.value.filter((entry) => entry.turnId !== turnId);
      if (running.value === turnId) {
        running.value = undefined;
        lost.value = undefined;
      }
    },
    /** Drops a turn and all that followed it. */
    cutFrom(turnId: string) {
      const index = entries.value.findIndex((entry) => entry.turnId === turnId);
      if (index >= 0) entries.value = entries.value.slice(0, index);
    },
    /**
     * Takes over the newest page; older pages stay where it follows on what is shown.
     *
     * @param shown what was there when the page was asked for: what was sent since is not in it, and stays
     */
    show(reply: ConversationReply, shown: readonly Entry[]) {
      batch(() => {
        const live = reply.liveTurn?.turnId;
        // What is followed already goes on where it is: a second stream would tell it from its beginning.
        const followed = entries.value.find((entry) => entry.turnId === live && this.isFollowed(entry));
        const messages = toEntries(reply.messages).map((entry) =>
          entry.turnId === followed?.turnId ? followed : entry,
        );
        const isTold = (entry: Entry) => messages.some(({ turnId }) => turnId === entry.turnId);
        const from = entries.value.findIndex(({ turnId }) => turnId === messages[0]?.turnId);
        const before = entries.value.slice(0, Math.max(0, from));
        const unsent = entries.value.filter(
          (entry) => !isTold(entry) && !(entry.known && shown.includes(entry)),
        );
        entries.value = [...before.filter(({ known }) => known), ...messages, ...unsent];
        if (before.length === 0) told.value = reply;
        problem.value = undefined;
      });
    },
  };
}

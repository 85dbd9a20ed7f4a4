/** What of a conversation is on screen, and the one scope that everything begun for it ends with. */
import { batch, computed, signal } from '@preact/signals';
import type { ConversationReply, TurnRequest } from '../../server-helper/protocol/wire.ts';
import type { WidgetCode } from '../errors.ts';
import { createEntry, type Entry, toEntries } from './entries.ts';
import { type Answer, createAnswer } from './turn.ts';

export type Screen = ReturnType<typeof createScreen>;

export function createScreen() {
  const id = signal<string | undefined>(undefined);
  const entries = signal<readonly Entry[]>([]);
  /** The turn that runs, if one does. */
  const running = signal<string | undefined>(undefined);
  const loading = signal(false);
  /** The connection is lost and being looked for. */
  const lost = signal(false);
  /** Why the conversation cannot be shown or the question not be taken. */
  const problem = signal<WidgetCode | undefined>(undefined);
  const older = signal<string | undefined>(undefined);
  const hasOlder = computed(() => older.value !== undefined);
  let scope = new AbortController();

  return {
    id,
    entries,
    running,
    loading,
    lost,
    problem,
    older,
    hasOlder,
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
        older.value = undefined;
      });
    },
    endAll() {
      scope.abort();
      scope = new AbortController();
      batch(() => {
        running.value = undefined;
        loading.value = false;
        lost.value = false;
      });
    },
    find: (turnId: string) => entries.value.find((entry) => entry.turnId === turnId),
    add(turnId: string, question: string | undefined, answer: Answer): Entry {
      const entry = createEntry(turnId, question, answer);
      entries.value = [...entries.value, entry];
      return entry;
    },
    /** A question that was refused, to be sent again by a click. */
    addFailed(turnId: string, question: TurnRequest, code: WidgetCode): void {
      this.add(turnId, question.text, { ...createAnswer(turnId, 'failed'), code }).request = question;
    },
    /** Drops a turn and all that followed it. */
    cutFrom(turnId: string) {
      const index = entries.value.findIndex((entry) => entry.turnId === turnId);
      if (index >= 0) entries.value = entries.value.slice(0, index);
    },
    show(reply: ConversationReply) {
      batch(() => {
        const told = toEntries(reply.messages);
        const isTold = (entry: Entry) => told.some(({ turnId }) => turnId === entry.turnId);
        entries.value = [...told, ...entries.value.filter((entry) => !entry.known && !isTold(entry))];
        older.value = reply.next;
        problem.value = undefined;
      });
    },
    showOlder(reply: ConversationReply) {
      const shown = new Set(entries.value.map(({ turnId }) => turnId));
      batch(() => {
        entries.value = [
          ...toEntries(reply.messages).filter(({ turnId }) => !shown.has(turnId)),
          ...entries.value,
        ];
        older.value = reply.next;
      });
    },
  };
}

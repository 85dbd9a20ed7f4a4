/** The agent's record with each question in the words in which it was asked here. Pure. */
import type { RecordedMessage } from '../agent/conversation.ts';
import type { TurnRecord } from '../store/store.ts';
import { readEarlier } from './earlier.ts';
import { isBeginning, readWords, type Text } from './words.ts';

type Asked = Pick<TurnRecord, 'question' | 'earlier'>;

/** So long a text is no other question's beginning. */
const tellingChars = 1_000;

const asked = new WeakMap<readonly Asked[], readonly Text[]>();

/** What was asked, once each; what was taken back may be written down late. One reading looks at it again and again. */
function readAsked(turns: readonly Asked[]): readonly Text[] {
  const read =
    asked.get(turns) ??
    [...new Set(turns.map(({ question }) => question)), ...turns.flatMap(readTakenBack)].map((text) => ({
      text,
    }));
  asked.set(turns, read);
  return read;
}

/** An agent may write a question down with other white space, other marks for one letter, or cut: it is that question still. */
export function inOurWords(recorded: readonly RecordedMessage[], turns: readonly Asked[]): RecordedMessage[] {
  const own = new Set(turns.map(({ question }) => question));
  return recorded.map((message) => {
    if (message.role !== 'visitor' || own.has(message.text)) return message;
    const words = readWords(message);
    const known = readAsked(turns);
    const found =
      known.find((ours) => readWords(ours) === words) ??
      (words.length >= tellingChars ? known.find((ours) => isBeginning(words, readWords(ours))) : undefined);
    return found ? { ...message, text: found.text } : message;
  });
}

function readTakenBack({ earlier }: Asked): string[] {
  return readEarlier(earlier).takenBack.map(({ question }) => question);
}

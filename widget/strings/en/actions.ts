/** English: what can be done with an answer that has ended. */
import { words as copied } from './copied.ts';

export const words = {
  ...copied,
  copyAnswer: 'Copy the answer',
  answerCopied: 'Answer copied',
  voteUp: 'This answer helped',
  voteDown: 'This answer did not help',
  voted: 'Thank you. Your vote was saved.',
  unvoted: 'Your vote was taken back.',
  again: 'Answer again',
  change: 'Change your question',
  changing: 'You are changing your last question.',
  cancel: 'Cancel',
  former: 'The answer before',
  'vote-failed': 'Your vote was not saved.',
};

/** English: the count on the launcher, or on a closed dock. */
export const words = {
  openUnread: 'Open chat. New answers: {count}',
  backUnread: 'Back to the conversation. New answers: {count}',
};

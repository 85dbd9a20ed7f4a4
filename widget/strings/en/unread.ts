/** English: the count on the launcher. */
export const words = {
  openUnread: 'Open chat. New answers: {count}',
};

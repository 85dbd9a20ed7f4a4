/** English: the way back to the end of a conversation. */
export const words = {
  toNewest: 'To the newest message',
  newMessages: 'New answers: {count}',
};

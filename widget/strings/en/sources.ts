/** English: an answer’s sources. */
export const words = {
  sources: 'Sources of answer {number}',
};

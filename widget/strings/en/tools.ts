/** English: what the agent uses for an answer. */
export const words = {
  toolRunning: 'Using “{title}”…',
  toolDone: 'Used “{title}”',
  toolFailed: '“{title}” did not work',
};

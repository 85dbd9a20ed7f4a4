/** English: what the agent does before it answers. */
export const words = {
  reasoning: 'Thinking it over…',
  reasoned: 'Thought for {time}',
  thought: 'Thought it over',
  toolRunning: 'Using “{title}”…',
  toolDone: 'Used “{title}”',
  toolFailed: '“{title}” did not work',
  toolCut: '“{title}” had begun',
};

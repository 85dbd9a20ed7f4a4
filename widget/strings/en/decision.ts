/** English: the cards on which a visitor decides. */
export const words = {
  approvalTitle: 'May the agent do this?',
  planTitle: 'Is this plan right?',
  approve: 'Allow',
  deny: 'Do not allow',
  acceptPlan: 'Accept',
  denyPlan: 'Decline',
  questionTitle: 'The agent asks',
  answer: 'Send answer',
  ownAnswer: 'Something else',
  openUntil: 'Waits for you until {time}.',
  'decision-failed': 'Your decision did not arrive.',
};

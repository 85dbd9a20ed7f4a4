/** English: how thoroughly the agent is to think. */
export const words = {
  mode: 'How to answer',
  auto: 'Auto',
  standard: 'Quick',
  agent: 'Thorough',
};

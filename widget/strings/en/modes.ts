/** English: how thoroughly the agent is to think. */
export const words = {
  mode: 'How to answer',
  auto: 'Auto',
  standard: 'Quick',
  agent: 'Thorough',
  may: 'What the agent may do',
  ask: 'Ask',
  edit: 'Edit',
  plan: 'Plan',
};

/** English: where something is copied. */
export const words = {
  'not-copied': 'Your browser did not let this be copied. It is selected: copy it there.',
};

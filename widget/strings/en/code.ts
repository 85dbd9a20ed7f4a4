/** English: beside code. */
export const words = {
  copy: 'Copy code',
  copied: 'Copied',
  wrap: 'Wrap long lines',
};

/** English: copying code. */
export const words = {
  copy: 'Copy code',
  copied: 'Copied',
};

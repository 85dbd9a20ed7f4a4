/** One thing that was looked at. */
export type Finding = {
  about: string;
  /** A note is nothing wrong, but may not be what was meant. */
  state: 'ok' | 'note' | 'wrong';
  /** What was seen and, where it is wrong, what mends it. */
  text: string;
};

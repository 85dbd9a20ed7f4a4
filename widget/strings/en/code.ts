/** English: beside code. */
import { words as copied } from './copied.ts';

export const words = {
  ...copied,
  copy: 'Copy code',
  copied: 'Copied',
  wrap: 'Wrap long lines',
};

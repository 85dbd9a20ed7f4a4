/** Limits that the widget has a copy of, so that its app need not carry all of them. */
import { expect, test } from 'vitest';
import { limits } from '../../server-helper/protocol/wire.ts';
import { maxQuestionChars } from '../../widget/site.ts';

test('a page may send as long a question as the helper takes', () => {
  expect(maxQuestionChars).toBe(limits.maxTextChars);
});

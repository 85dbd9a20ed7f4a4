/** Every sentence in English, those of the parts too. */
import { words as actions } from '../../widget/strings/en/actions.ts';
import { words as answer } from '../../widget/strings/en/answer.ts';
import { words as code } from '../../widget/strings/en/code.ts';
import { words as decision } from '../../widget/strings/en/decision.ts';
import { words as history } from '../../widget/strings/en/history.ts';
import { words as modes } from '../../widget/strings/en/modes.ts';
import { words as myData } from '../../widget/strings/en/my-data.ts';
import { words as newest } from '../../widget/strings/en/newest.ts';
import { words as sources } from '../../widget/strings/en/sources.ts';
import { words as unread } from '../../widget/strings/en/unread.ts';
import { words as work } from '../../widget/strings/en/work.ts';
import { en, type Strings } from '../../widget/strings/en.ts';

export const english: Strings = {
  ...en,
  ...actions,
  ...answer,
  ...code,
  ...decision,
  ...history,
  ...modes,
  ...myData,
  ...newest,
  ...sources,
  ...unread,
  ...work,
};

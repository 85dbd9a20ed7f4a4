/** Every sentence in English, those of the parts too. */
import { words as actions } from '../../widget/strings/en/actions.ts';
import { words as answer } from '../../widget/strings/en/answer.ts';
import { words as copy } from '../../widget/strings/en/copy.ts';
import { words as decision } from '../../widget/strings/en/decision.ts';
import { words as history } from '../../widget/strings/en/history.ts';
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
  ...copy,
  ...decision,
  ...history,
  ...myData,
  ...newest,
  ...sources,
  ...unread,
  ...work,
};

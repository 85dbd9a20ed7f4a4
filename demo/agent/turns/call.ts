/** What a chat call asks for that holds for the whole turn, over its pauses too. */

import type { AnswerRequest } from '../answer/answerer.ts';
import type { Persona } from '../store/chats.ts';

export interface Call {
  persona: Persona;
  /** May edit and plan: of all others the mode of the conversation is ask. */
  hasModes: boolean;
  /** Nobody is there to be asked back. */
  isUnattended: boolean;
  reasoningMode: AnswerRequest['reasoningMode'];
  scope: AnswerRequest['scope'];
  data: AnswerRequest['data'];
  overrides: AnswerRequest['overrides'];
  /** What the caller asked for in vain. */
  notes: string[];
}

/** The service's own tools, which a language model is offered beside the site's: what it may do depends on for whom it works. */

import * as v from 'valibot';
import type { Memories } from '../answer/answerer.ts';
import { isAddress } from '../email/address.ts';
import { sendEmail } from '../email/outbound.ts';
import { AgentError } from '../errors.ts';
import { toOwnTool } from '../owntool.ts';
import type { Parts } from '../parts.ts';
import { toTerms } from '../retrieval/terms.ts';
import { createBashTool } from '../sandbox/tool.ts';
import type { Bot } from '../store/bots.ts';
import type { Chat, ChatMode } from '../store/chats.ts';
import { memoryTypes } from '../store/memories.ts';
import { hourMs } from '../time.ts';
import type { Tool } from '../tools.ts';
import { createWorkspaceTools } from '../workspace/tools.ts';
import { toBuilderTools } from './buildertools.ts';
import type { Call } from './call.ts';

/** To one address, in an hour. */
const mostNotices = 60;
/** Of an address in SMTP. */
const maxEmailChars = 254;

const text = (most: number) => v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(most));

/** For the builder's agent where it may write. */
export const mayRunCommands = (chat: Chat, call: Call) =>
  call.persona === 'builder' && toMode(chat, call) === 'edit';

/** @param memories of the visitor, where they are known @param hasSandbox for this call */
export function toOwnTools(
  parts: Parts,
  bot: Bot,
  chat: Chat,
  call: Call,
  memories: Memories | undefined,
  hasSandbox: boolean,
): readonly Tool[] {
  return [
    ...(call.scope.top > 0 ? [searchMemory(parts, bot, call)] : []),
    ...(memories ? [saveMemory(memories)] : []),
    ...(call.isUnattended ? [] : [askUser]),
    ...(toMode(chat, call) === 'plan' ? [acceptPlan(parts, chat)] : []),
    saveContact(parts, bot, chat, call),
    ...(parts.mailer.isConfigured && parts.config.email.owner ? [notifyOwner(parts, bot, call)] : []),
    ...(call.persona === 'builder' ? toBuilderTools(parts, bot) : []),
    ...workspaceTools(parts, chat, call),
    ...(hasSandbox && chat.workspace_uuid
      ? [createBashTool({ ...parts, workspace: chat.workspace_uuid })]
      : []),
  ];
}

/** In which a call works. */
export const toMode = ({ chat_mode }: Chat, { hasModes }: Call): ChatMode => (hasModes ? chat_mode : 'ask');

const searchMemory = ({ search }: Parts, bot: Bot, { scope }: Call) =>
  toOwnTool(
    'search_memory',
    'Search the sources',
    'Finds passages of what the agent has read.',
    {
      query: text(1_000),
      top: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(50)), 5),
    },
    async ({ query, top }) => {
      const words = toTerms(query).map(({ word }) => word);
      const found = search.find({ botId: bot.uuid, ...scope }, words, top);
      return { results: found.map(({ title, url, content }) => ({ title, url, content })) };
    },
  );

const saveMemory = (memories: Memories) =>
  toOwnTool(
    'save_memory',
    'Remember',
    'Remembers something about this visitor for later conversations.',
    { content: text(1_000), type: v.optional(v.picklist(memoryTypes), 'semantic') },
    async ({ content, type }) => ({ uuid: memories.add(content, type) }),
  );

const askUser = toOwnTool(
  'ask_user',
  'Question',
  'Asks the visitor what is meant, with choices where there are some.',
  {
    questions: v.pipe(
      v.array(
        v.object({
          question: text(500),
          options: v.optional(v.pipe(v.array(text(200)), v.maxLength(10))),
        }),
      ),
      v.minLength(1),
      v.maxLength(4),
    ),
  },
  async () => ({}),
  { approval: 'always', isQuestion: true },
);

const acceptPlan = ({ chats }: Parts, { id }: Chat) =>
  toOwnTool(
    'accept_plan',
    'Plan',
    'Proposes what is to be done, step by step. Nothing is done before it is approved.',
    { title: text(200), steps: v.pipe(v.array(text(500)), v.minLength(1), v.maxLength(20)) },
    async () => {
      chats.set(id, { chat_mode: 'edit' });
      return { accepted: true };
    },
    { approval: 'always' },
  );

const saveContact = ({ chats, subscribers, events }: Parts, bot: Bot, chat: Chat, { persona }: Call) =>
  toOwnTool(
    'save_contact',
    'Keep a contact',
    'Keeps the e-mail address and name that the visitor gives, so that the team can write back.',
    {
      email: v.string(),
      name: v.nullish(v.string()),
      chat_id: v.optional(v.string()),
    },
    async ({ email, name, chat_id = chat.chat_id }) => {
      const address = email.trim();
      if (!isAddress(address) || address.length > maxEmailChars)
        throw new AgentError(400, 'invalid_email', 'email: an e-mail address is needed.');
      if (chat_id !== chat.chat_id && persona !== 'builder')
        throw new AgentError(403, 'forbidden', 'A contact is kept for the chat that it was left in.');
      if (!chats.find(bot.uuid, chat_id))
        throw new AgentError(404, 'chat_not_found', 'There is no such chat.');
      const contact = { email: address, name: name?.trim() ? name.slice(0, 200) : null };
      const id = subscribers.saveLead(bot.uuid, contact, chat_id);
      events.record('contact.saved', { chat_id, subscriber_id: id });
      return { id };
    },
  );

const notifyOwner = (parts: Parts, bot: Bot, { persona }: Call) =>
  toOwnTool(
    'notify_owner',
    'Tell the owner',
    'Sends the owner of this agent an e-mail.',
    { message: text(2_000), recipient: v.nullish(v.string()) },
    async ({ message, recipient }) => {
      const owner = parts.config.email.owner!;
      const to = persona === 'builder' ? recipient?.trim() || owner : owner;
      const since = parts.config.now() - hourMs;
      if (parts.emails.countTo(bot.uuid, to, 'auto-generated', since) >= mostNotices)
        throw new AgentError(429, 'too_many_emails', 'This address was written to often enough.');
      const subject = `From ${bot.name}`;
      await sendEmail(parts, bot, { to, subject, text: message, autoSubmitted: 'auto-generated' });
      return { sent: true };
    },
  );

/** The builder's everywhere, a service's in the workspace that it pinned. A visitor has none. */
function workspaceTools({ files, workspaces }: Parts, chat: Chat, call: Call): readonly Tool[] {
  const { workspace_uuid: workspace } = chat;
  const { persona } = call;
  const mode = toMode(chat, call);
  if (workspace === null || persona === 'visitor') return [];
  if (persona === 'service' && workspaces.kindOf(workspace) === 'conversation') return [];
  return createWorkspaceTools({
    files,
    workspace,
    mayWrite: mode === 'edit' || (persona === 'service' && mode !== 'plan'),
  });
}

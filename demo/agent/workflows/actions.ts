/** What a workflow does, one action at a time. */

import { sendEmail } from '../email/outbound.ts';
import { AgentError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import { hourMs } from '../time.ts';
import { askUnattended, whenFree } from '../turns/unattended.ts';
import type { Action } from './catalog.ts';
import { originHeader } from './origin.ts';
import { createFiller, type Filler, type Payload } from './template.ts';

const answerBytes = 10_000;
/** To one address: to one that the payload names, and to one that the owner wrote. A machine at its end may answer each. */
const [mostToNamed, mostToWritten] = [10, 60];
/** As of a chat call. */
const mostAsked = 100_000;

/** What an action failed with, and what is known of it all the same. */
export class ActionError extends AgentError {
  readonly output: unknown;
  constructor(code: string, output: unknown) {
    super(502, code, 'The action failed.');
    this.output = output;
  }
}

/** @param isStopped whether the workflow is to be done no more. @returns its output. Throws an AgentError. */
export function perform(
  parts: Parts,
  bot: Bot,
  action: Action,
  payload: Payload,
  signal: AbortSignal,
  isStopped: () => boolean,
): Promise<object> {
  const filler = createFiller(payload);
  switch (action.type) {
    case 'call_url':
      return callUrl(parts, action, filler, payload, signal);
    case 'send_email':
      return mail(parts, bot, action, filler);
    case 'add_memory':
      return addMemory(parts, bot, action, filler);
    case 'start_chat':
      return startChat(parts, bot, action, filler, signal, isStopped);
  }
}

type Of<Type extends Action['type']> = Extract<Action, { type: Type }>;

async function callUrl(
  { outgoing }: Parts,
  { url, method, headers, body }: Of<'call_url'>,
  { text, all, url: toUrl }: Filler,
  payload: Payload,
  signal: AbortSignal,
) {
  const said = body === undefined ? payload : all(body);
  const { status, ok, ...answer } = await outgoing.call(
    toUrl(url),
    {
      method,
      headers: {
        'content-type': 'application/json',
        ...Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name.toLowerCase(), text(value)]),
        ),
        [originHeader]: '1',
      },
      body: method === 'GET' ? undefined : typeof said === 'string' ? said : JSON.stringify(said),
    },
    answerBytes,
    signal,
  );
  const output = { status, body: answer.text };
  if (!ok) throw new ActionError('http_error', output);
  return output;
}

async function mail(parts: Parts, bot: Bot, { to, subject, body }: Of<'send_email'>, { text }: Filler) {
  const address = text(to).trim();
  const most = address === to.trim() ? mostToWritten : mostToNamed;
  const since = parts.config.now() - hourMs;
  if (parts.emails.countTo(bot.uuid, address, 'auto-generated', since) >= most)
    throw new AgentError(429, 'too_many_emails', 'This address was written to often enough.');
  const email = await sendEmail(parts, bot, {
    to: address,
    subject: text(subject),
    text: text(body),
    autoSubmitted: 'auto-generated',
  });
  return { email_id: email.uuid };
}

async function addMemory(parts: Parts, bot: Bot, action: Of<'add_memory'>, { text }: Filler) {
  const content = text(action.content);
  if (content.trim() === '') throw new AgentError(400, 'empty_content', 'There is nothing to add.');
  const source = parts.sources.create(bot.uuid, {
    title: text(action.title).trim().slice(0, 300) || 'Text',
    description: null,
    type: 'text',
    source: content,
    tags: action.tags.map((tag) => text(tag).slice(0, 200)).filter((tag) => tag !== ''),
    forget_after: 'never',
    sync_frequency: 'never',
  });
  parts.ingest.start(source);
  return { source_id: source.uuid };
}

async function startChat(
  parts: Parts,
  bot: Bot,
  action: Of<'start_chat'>,
  { text }: Filler,
  signal: AbortSignal,
  isStopped: () => boolean,
) {
  const message = text(action.message);
  if (message.trim() === '') throw new AgentError(400, 'empty_message', 'There is nothing to ask.');
  if (message.length > mostAsked)
    throw new AgentError(400, 'too_large', `The message is longer than ${mostAsked} characters.`);
  const chatId = action.chat_id === undefined ? '' : text(action.chat_id).slice(0, 200);
  // What comes in with a payload is nobody's word of the project.
  const call = { message, chatId: chatId === '' ? undefined : chatId, as: 'visitor' } as const;
  const { chat, reason } = await whenFree(async () => {
    if (isStopped()) throw new AgentError(409, 'switched_off', 'The workflow was switched off, or is gone.');
    return askUnattended(parts, bot, call);
  }, signal);
  const output = { chat_id: chat.agent.chat_id, reply: chat.reply };
  if (reason !== undefined) throw new ActionError(reason, output);
  return output;
}

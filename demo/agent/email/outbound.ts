/** E-mails of an agent: kept before they are sent, threaded by their headers. */

import { randomUUID } from 'node:crypto';
import { AgentError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import type { AutoSubmitted, Email } from '../store/emails.ts';
import { addressOf, isAddress } from './address.ts';
import { requireMailer, toLine } from './mailer.ts';

/** Of a long thread, its beginning is enough to place it, and its end. */
const mostOfThread = 20;
const mostOfSubject = 1_000;

export interface NewMail {
  to: string;
  subject: string;
  text: string;
  /** The one that it answers. */
  answers?: Email;
  autoSubmitted?: AutoSubmitted;
}

/** 400 `smtp_not_configured`, `invalid_address`; 502 `smtp_failed`, and it is kept as failed. */
export async function sendEmail(
  { emails, mailer, config, events }: Pick<Parts, 'emails' | 'mailer' | 'config' | 'events'>,
  bot: Bot,
  { to, subject, text, answers, autoSubmitted }: NewMail,
): Promise<Email> {
  requireMailer(mailer);
  const address = to.trim();
  const line = toLine(subject).slice(0, mostOfSubject);
  if (!isAddress(address)) throw new AgentError(400, 'invalid_address', 'to: one e-mail address is needed.');
  const from = addressOf(bot, config.email.domain);
  const uuid = randomUUID();
  const messageId = `<${uuid}@${config.email.domain}>`;
  const thread = answers?.message_id ? toThread(answers) : '';
  const email = emails.begin(
    {
      bot_id: bot.uuid,
      from_address: from,
      to_address: address,
      subject: line,
      text_body: text,
      in_reply_to: answers?.uuid ?? null,
      message_id: messageId,
      thread,
      auto_submitted: autoSubmitted ?? null,
    },
    uuid,
  );
  await mailer.send({
    from: { name: toLine(bot.name), address: from },
    to: address,
    subject: line,
    text,
    messageId,
    ...(answers?.message_id ? { inReplyTo: answers.message_id, references: thread } : {}),
    ...(autoSubmitted === undefined ? {} : { autoSubmitted }),
  });
  events.record('email.sent', { email_id: uuid });
  return emails.accepted(email);
}

/** 502 `smtp_failed`. */
export function replyTo(
  parts: Pick<Parts, 'emails' | 'mailer' | 'config' | 'events'>,
  bot: Bot,
  answers: Email,
  text: string,
  autoSubmitted?: 'auto-replied',
): Promise<Email> {
  const subject = `Re: ${answers.subject.replace(/^(\s*re\s*:)+\s*/i, '')}`.trim();
  return sendEmail(parts, bot, {
    to: answers.from_address,
    subject,
    text,
    answers,
    ...(autoSubmitted === undefined ? {} : { autoSubmitted }),
  });
}

function toThread({ thread, message_id }: Email): string {
  const ids = [...thread.split(' ').filter((one) => one !== ''), message_id!];
  return (ids.length <= mostOfThread ? ids : [ids[0]!, ...ids.slice(1 - mostOfThread)]).join(' ');
}

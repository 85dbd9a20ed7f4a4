/** Does what is to be done about an e-mail that came in: the agent answers it, its owner is told of it. */

import { setTimeout as rest } from 'node:timers/promises';
import { AgentError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import type { Email, ToDo } from '../store/emails.ts';
import { hourMs, minuteMs } from '../time.ts';
import { askUnattended } from '../turns/unattended.ts';
import type { WireChat } from '../turns/wire.ts';
import { createWatch } from '../watch.ts';
import { addressOf, toKey } from './address.ts';
import { requireMailer } from './mailer.ts';
import { replyTo } from './outbound.ts';
import { toMessage } from './quoting.ts';

const maxAtOnce = 4;
/** Of those that wait; several may be of one sender. */
const mostLooked = 100;
/** It is looked so often, should the database not have answered. */
const maxIdleMs = 5_000;
const busyMs = 2_000;
/** So long an answer waits for a conversation in which somebody speaks. */
const busyForMs = 10 * minuteMs;
/** More than these in an hour to one address: two machines are talking. */
const mostAnHour = 10;
const mostAnnouncedAnHour = 60;
const maxChatId = 200;

export interface Clerk {
  wake(): void;
  close(): Promise<void>;
}

/** With those that it cites: a mail has no list of sources beside it. */
export function withSources({ reply, sources }: Pick<WireChat, 'reply' | 'sources'>): string {
  const cited = sources.filter(({ citation_number }) => reply.includes(`[${citation_number}]`));
  const lines = cited.map(
    ({ citation_number, title, url }) => `[${citation_number}] ${title}${url ? `: ${url}` : ''}`,
  );
  return lines.length > 0 ? `${reply}\n\n${lines.join('\n')}` : reply;
}

export function createClerk(parts: Parts): Clerk {
  const { emails, bots, mailer, config, events } = parts;
  /** By sender: two mails of one are answered one after the other. */
  const underWay = new Map<string, Promise<void>>();
  /** Senders in whose conversation somebody speaks: they hold no place meanwhile. */
  const resting = new Set<string>();
  const closing = new AbortController();
  /** When the owner was told, of each agent. */
  const announced = new Map<string, number[]>();

  const report = (thrown: unknown) =>
    events.record('emails.failed', { cause: thrown instanceof Error ? thrown.stack : 'unknown' });
  const keyOf = ({ from_address }: Email) => toKey(from_address);

  async function answer(email: Email, bot: Bot) {
    requireMailer(mailer);
    // Switched off while it waited.
    const { email_enabled, email_auto_reply } = bots.get(bot.uuid) ?? {};
    if (!email_enabled || !email_auto_reply) return;
    const since = config.now() - hourMs;
    if (emails.countTo(bot.uuid, email.from_address, 'auto-replied', since) >= mostAnHour)
      throw new AgentError(429, 'too_many_answers', 'This address was answered often enough.');
    const chatId = `email:${keyOf(email)}`.slice(0, maxChatId);
    const message = toMessage(email.text_body, email.subject, email.in_reply_to !== null);
    if (message === '') return;
    const { chat, reason } = await askUnattended(parts, bot, { message, chatId, as: 'visitor' });
    if (reason !== undefined)
      throw new AgentError(409, reason, 'The answer waits for somebody, or was stopped.');
    if (chat.reply.trim() !== '') await replyTo(parts, bot, email, withSources(chat), 'auto-replied');
  }

  async function announce(email: Email, bot: Bot) {
    const told = announced.get(bot.uuid)?.filter((at) => at > config.now() - hourMs) ?? [];
    if (told.length >= mostAnnouncedAnHour)
      throw new AgentError(429, 'too_many_announcements', 'The owner was told of enough for now.');
    announced.set(bot.uuid, [...told, config.now()]);
    await mailer.send({
      from: { name: bot.name, address: addressOf(bot, config.email.domain) },
      to: config.email.owner!,
      subject: `E-mail for ${bot.name}: ${email.subject}`,
      text: `From: ${email.from_address}\nSubject: ${email.subject}\n\n${email.text_body}`,
      messageId: `<${email.uuid}.announced@${config.email.domain}>`,
      autoSubmitted: 'auto-generated',
    });
  }

  /** @returns the code of what was wrong */
  async function attempt(work: () => Promise<void>): Promise<string | undefined> {
    try {
      await work();
      return undefined;
    } catch (thrown) {
      return thrown instanceof AgentError ? thrown.code : 'internal_error';
    }
  }

  /** What fails is said, and not tried again: the mail itself is kept. */
  function say(what: string, { uuid: email_id }: Email, code: string | undefined) {
    if (code !== undefined) events.record(`email.not_${what}`, { email_id, code });
  }

  /** Later: the places are for those that can be answered. */
  function putOff(email: Email) {
    emails.unclaim(email);
    const key = keyOf(email);
    resting.add(key);
    void rest(busyMs, undefined, { ref: false, signal: closing.signal })
      .catch(() => {})
      .then(() => {
        resting.delete(key);
        if (!closing.signal.aborted) watch.wake();
      });
  }

  async function attend(email: ToDo, bot: Bot) {
    if (email.to_announce > 0) {
      say('announced', email, await attempt(() => announce(email, bot)));
      emails.announced(email);
    }
    // What is still to be done is done after the next start.
    if (email.to_answer === 0 || closing.signal.aborted) return;
    const code = await attempt(() => answer(email, bot));
    if (code === 'chat_busy' && email.created_at > config.now() - busyForMs) return putOff(email);
    say('answered', email, code);
    if (!closing.signal.aborted) emails.settle(email);
  }

  function look() {
    for (const email of emails.toDo(mostLooked, [...underWay.keys(), ...resting])) {
      const bot = bots.get(email.bot_id);
      if (underWay.size >= maxAtOnce) break;
      if (!bot || underWay.has(keyOf(email))) continue;
      // What cannot be claimed is not begun: the watch looks again later.
      emails.claim(email);
      const job = attend(email, bot)
        .catch(async (thrown) => {
          report(thrown);
          // At once it would fail again, and again.
          await rest(maxIdleMs, undefined, { ref: false, signal: closing.signal }).catch(() => {});
        })
        .then(() => {
          underWay.delete(keyOf(email));
          watch.wake();
        });
      underWay.set(keyOf(email), job);
    }
    return Number.POSITIVE_INFINITY;
  }
  const watch = createWatch({ look, report, now: config.now, maxIdleMs });

  return {
    wake: watch.wake,
    async close() {
      closing.abort();
      watch.stop();
      await Promise.all(underWay.values());
    },
  };
}

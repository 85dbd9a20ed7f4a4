/** Takes e-mails to the agents in, over SMTP: what was acknowledged is kept. */

import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerAddress, type SMTPServerSession } from 'smtp-server';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import { addressOf, domainOf, toKey, toMailbox } from './address.ts';
import { maxMailBytes, type ReceivedMail, Refusal, readMail } from './parse.ts';

const maxClients = 50;
const maxRecipients = 20;
const idleMs = 60_000;
const closeMs = 1_000;

export interface Inbound {
  /** @returns the port. 0 takes any that is free. */
  listen(port: number, host: string): Promise<number>;
  close(): Promise<void>;
}

/** @param onReceived when there may be something to do */
export function createInbound(parts: Parts, onReceived: () => void): Inbound {
  const { bots, config, events } = parts;
  let server: SMTPServer | undefined;

  function findBot({ address }: Pick<SMTPServerAddress, 'address'>): Bot | undefined {
    const [mailbox] = address.toLowerCase().split('@');
    if (domainOf(address) !== config.email.domain) return undefined;
    return bots.ofMailbox((uuid) => toMailbox(uuid) === mailbox);
  }

  function keep(mail: ReceivedMail, bot: Bot) {
    const own = addressOf(bot, config.email.domain);
    const isOwn = findBot({ address: mail.from }) !== undefined;
    /** Written by a person, as far as one can tell. */
    const isPersons = mail.from !== '' && !mail.isAutomatic && !isOwn;
    const isOwner = config.email.owner !== undefined && toKey(mail.from) === toKey(config.email.owner);
    const answered = parts.emails.findByMessage(bot.uuid, mail.refersTo);
    const record = {
      bot_id: bot.uuid,
      direction: 'inbound' as const,
      from_address: mail.from,
      to_address: own,
      subject: mail.subject,
      text_body: mail.text,
      status: 'received' as const,
      in_reply_to: answered?.uuid ?? null,
      message_id: mail.messageId,
      thread: mail.refersTo.filter((one, at, all) => all.indexOf(one) === at).join(' '),
      auto_submitted: null,
    };
    const email = parts.emails.receive(record, {
      name: mail.name,
      // A machine may be answering what a workflow wrote, and agents may write to each other.
      startsNothing: !isPersons,
      toAnswer: bot.email_auto_reply && isPersons,
      toAnnounce: bot.email_notifications && config.email.owner !== undefined && isPersons && !isOwner,
    });
    if (isPersons) parts.subscribers.joinByEmail(bot.uuid, { email: mail.from, name: mail.name });
    events.record('email.received', { email_id: email.uuid });
  }

  async function receive(stream: AsyncIterable<Buffer>, { envelope }: SMTPServerSession) {
    const mail = await readMail(stream, envelope.mailFrom ? envelope.mailFrom.address : '');
    const to = new Map(
      envelope.rcptTo.flatMap((one) => {
        const bot = findBot(one);
        return bot ? [[bot.uuid, bot] as const] : [];
      }),
    );
    // Deleted since it was named.
    if (to.size === 0) throw new Refusal(550, 'No such mailbox here.');
    parts.emails.together(() => {
      for (const bot of to.values()) keep(mail, bot);
    });
    // Once the sender has its answer.
    setImmediate(onReceived);
  }

  const answer = (work: Promise<void> | void, done: (error?: Error | null) => void) =>
    Promise.resolve(work).then(
      () => done(),
      (thrown: Error) => {
        if (!(thrown instanceof Refusal))
          events.record('emails.failed', { cause: thrown.stack ?? thrown.message });
        done(thrown instanceof Refusal ? thrown : new Refusal(451, 'Try again later.'));
      },
    );

  return {
    listen(port, host) {
      server = new SMTPServer({
        name: config.email.domain,
        banner: 'ready',
        logger: false,
        authOptional: true,
        disabledCommands: ['AUTH', 'STARTTLS'],
        disableReverseLookup: true,
        size: maxMailBytes,
        maxClients,
        socketTimeout: idleMs,
        closeTimeout: closeMs,
        onRcptTo(address, { envelope }, done) {
          const bot = findBot(address);
          if (!bot?.email_enabled) return done(new Refusal(550, 'No such mailbox here.'));
          if (envelope.rcptTo.length >= maxRecipients) return done(new Refusal(452, 'Too many recipients.'));
          done();
        },
        onData: (stream, session, done) => void answer(receive(stream, session), done),
      });
      return new Promise((resolve, reject) => {
        server!.on('error', (thrown: Error) => {
          events.record('smtp.failed', { cause: thrown.message });
          reject(thrown);
        });
        server!.listen(port, host, () => resolve((server!.server.address() as AddressInfo).port));
      });
    },
    close: () =>
      new Promise((resolve) => {
        if (server) server.close(() => resolve());
        else resolve();
      }),
  };
}

/** The mail of this machine: takes what the agent sends, and writes to it, so that its mail can be tried without an account. */
import type { AddressInfo } from 'node:net';
import { simpleParser } from 'mailparser';
import { createTransport } from 'nodemailer';
import { SMTPServer } from 'smtp-server';

export type Mail = { id: number; at: string; from: string; to: string; subject: string; text: string };

export interface Inbox {
  /** Where mail is to be sent. */
  url: string;
  /** Newest first. */
  list(): readonly Mail[];
  /** Writes to the agent. Rejects where that does not take it. */
  write(mail: { from: string; subject: string; text: string }): Promise<void>;
  close(): Promise<void>;
}

const mostKept = 100;
const maxBytes = 1024 * 1024;
const timeoutMs = 10_000;

/** @param agent where it takes mail, and its address */
export async function startInbox(host: string, agent: { port: number; address: string }): Promise<Inbox> {
  const mails: Mail[] = [];
  let count = 0;
  const keep = (mail: Omit<Mail, 'id' | 'at'>) => {
    count += 1;
    mails.unshift({ id: count, at: new Date().toISOString(), ...mail });
    mails.length = Math.min(mails.length, mostKept);
  };
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: maxBytes,
    closeTimeout: 500,
    onData(stream, { envelope }, done) {
      simpleParser(stream, { skipTextToHtml: true }).then(
        ({ from, subject = '', text = '' }) => {
          const to = envelope.rcptTo.map(({ address }) => address).join(', ');
          keep({ from: from?.text ?? '', to, subject, text });
          done();
        },
        (thrown: Error) => done(thrown),
      );
    },
  });
  // A connection that breaks off is nobody's loss here.
  server.on('error', () => {});
  await new Promise<void>((resolve) => void server.listen(0, host, resolve));
  const transport = createTransport({ host, port: agent.port, ignoreTLS: true, socketTimeout: timeoutMs });
  return {
    url: `smtp://${host}:${(server.server.address() as AddressInfo).port}`,
    list: () => mails,
    async write(mail) {
      await transport.sendMail({ ...mail, to: agent.address });
      keep({ ...mail, to: agent.address });
    },
    close() {
      transport.close();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

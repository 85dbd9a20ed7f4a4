/** Hands e-mails to the mail server that the configuration names. */

import { createTransport } from 'nodemailer';
import { AgentError } from '../errors.ts';
import type { EventLog } from '../events.ts';

const timeoutMs = 10_000;
const totalMs = 30_000;
/** What is under way when the service stops. */
const closeMs = 3_000;

export interface OutgoingMail {
  from: { name: string; address: string };
  to: string;
  subject: string;
  text: string;
  /** With its brackets. */
  messageId: string;
  inReplyTo?: string;
  references?: string;
  /** Whether nobody wrote it by hand: `auto-replied` or `auto-generated`. */
  autoSubmitted?: string;
}

export interface Mailer {
  readonly isConfigured: boolean;
  /** Resolves when the server has accepted it. 400 `smtp_not_configured`, 502 `smtp_failed`. */
  send(mail: OutgoingMail): Promise<void>;
  /** What is under way has a moment still. */
  close(): void;
}

/** @param url `smtp://` or `smtps://` with name and password, if needed */
export function createMailer(url: string | undefined, events: EventLog): Mailer {
  const transport =
    url === undefined
      ? undefined
      : createTransport({
          url,
          connectionTimeout: timeoutMs,
          greetingTimeout: timeoutMs,
          socketTimeout: timeoutMs,
          disableFileAccess: true,
          disableUrlAccess: true,
        });
  const closing = new AbortController();

  /** A server may answer each command, and never be done. */
  async function withinLimit<T>(work: Promise<T>): Promise<T> {
    let stop = () => {};
    const limit = new Promise<never>((_, reject) => {
      const giveUp = () => reject(new Error('The server took too long.'));
      const timer = setTimeout(giveUp, totalMs).unref();
      const hurry = () => setTimeout(giveUp, closeMs).unref();
      if (closing.signal.aborted) hurry();
      else closing.signal.addEventListener('abort', hurry);
      stop = () => {
        clearTimeout(timer);
        closing.signal.removeEventListener('abort', hurry);
      };
    });
    return Promise.race([work, limit]).finally(stop);
  }

  return {
    isConfigured: transport !== undefined,
    async send({ to, subject, autoSubmitted, ...mail }) {
      requireMailer({ isConfigured: transport !== undefined });
      try {
        await withinLimit(
          transport!.sendMail({
            ...mail,
            to: { name: '', address: to },
            subject: toLine(subject),
            ...(autoSubmitted === undefined ? {} : { headers: { 'Auto-Submitted': autoSubmitted } }),
          }),
        );
      } catch (thrown) {
        events.record('email.not_sent', { cause: thrown instanceof Error ? thrown.message : 'unknown' });
        throw new AgentError(502, 'smtp_failed', 'The mail server did not take the e-mail.');
      }
    },
    close() {
      closing.abort();
      transport?.close();
    },
  };
}

export function requireMailer({ isConfigured }: Pick<Mailer, 'isConfigured'>) {
  if (!isConfigured)
    throw new AgentError(400, 'smtp_not_configured', 'AGENT_SMTP_URL: there is no server to send it with.');
}

/** A line end in it would begin a header. */
export const toLine = (text: string) => text.replace(/[\p{Cc}\s]+/gu, ' ').trim();

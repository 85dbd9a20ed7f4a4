/** SMTP for tests: a client that speaks it line by line, and a server that takes what agents send. */

import { type AddressInfo, connect } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface TakenMail {
  from: string;
  to: string[];
  raw: string;
}

/** Header by header, unfolded, in the order in which they stand. */
export function headersOf({ raw }: Pick<TakenMail, 'raw'>): [name: string, value: string][] {
  const [head = ''] = raw.split(/\r?\n\r?\n/);
  return head
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]);
}
export const headerOf = (mail: Pick<TakenMail, 'raw'>, name: string) =>
  headersOf(mail).find(([one]) => one === name)?.[1];

export async function startMailServer() {
  const taken: TakenMail[] = [];
  const waiting = new Set<() => void>();
  /** Whether what comes is refused. */
  const refusing = { isOn: false };
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 500,
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refusing.isOn) return done(Object.assign(new Error('Not today'), { responseCode: 554 }));
        taken.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
        });
        for (const look of waiting) look();
        done();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    taken,
    refusing,
    /** Resolves when so many have come. */
    count(wanted: number): Promise<TakenMail[]> {
      return new Promise((resolve) => {
        const look = () => {
          if (taken.length < wanted) return;
          waiting.delete(look);
          resolve(taken);
        };
        waiting.add(look);
        look();
      });
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export interface SentMail {
  /** Of the envelope; empty for a mail about a mail. */
  from?: string;
  to?: string | string[];
  /** With its headers, lines parted by \n. */
  data: string | Buffer;
}

/** @returns the reply to each command, the one to the data last */
export async function sendMail(
  port: number,
  { from = 'ada@site.example', to = 'juniper@agent.localhost', data }: SentMail,
): Promise<string[]> {
  // Each reply is waited for anew.
  const socket = connect(port, '127.0.0.1').setMaxListeners(0);
  socket.setTimeout(30_000, () => socket.destroy(new Error('No reply.')));
  const replies: string[] = [];
  let buffer = '';
  const reply = async () => {
    for (;;) {
      const found = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(buffer)?.[0];
      if (found !== undefined) {
        buffer = buffer.slice(found.length);
        return found.trim();
      }
      await new Promise<void>((resolve, reject) => {
        socket.once('data', (chunk) => {
          buffer += chunk;
          resolve();
        });
        socket.once('error', reject);
        socket.once('close', () => reject(new Error('Closed.')));
      });
    }
  };
  const say = async (line: string | Buffer) => {
    socket.write(line);
    replies.push(await reply());
    return replies.at(-1)!;
  };
  try {
    await reply();
    await say('EHLO client.example\r\n');
    await say(`MAIL FROM:<${from}>\r\n`);
    for (const one of [to].flat()) if (!(await say(`RCPT TO:<${one}>\r\n`)).startsWith('250')) return replies;
    await say('DATA\r\n');
    const body = typeof data === 'string' ? data.replace(/\r?\n/g, '\r\n').replace(/^\./gm, '..') : data;
    socket.write(body);
    await say('\r\n.\r\n');
    return replies;
  } finally {
    socket.destroy();
  }
}

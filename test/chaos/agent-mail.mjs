/** Mail to and from an agent that is killed: what was acknowledged is kept once and answered once at most. */
import { createTransport } from 'nodemailer';
import { SMTPServer } from 'smtp-server';

/** @param port where the agent takes mail */
export async function startMail(port) {
  /** What was acknowledged, by its message id. */
  const taken = new Set();
  /** How often each was answered. */
  const answers = new Map();
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onData(stream, _session, done) {
      let raw = '';
      stream.on('data', (chunk) => {
        raw += chunk;
      });
      stream.on('end', () => {
        const id = /^In-Reply-To:\s*(<[^>]*>)/im.exec(raw)?.[1];
        if (id) answers.set(id, (answers.get(id) ?? 0) + 1);
        done();
      });
    },
  });
  server.on('error', () => {});
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, connectionTimeout: 2_000 });
  let count = 0;

  return {
    url: `smtp://127.0.0.1:${server.server.address().port}`,
    taken,
    async send() {
      count += 1;
      const messageId = `<${count}.${process.pid}@visitor.example>`;
      const from = `visitor-${count}@visitor.example`;
      await transport.sendMail({ from, to: 'b@agent.localhost', subject: 'Hello', text: 'Hello', messageId });
      taken.add(messageId);
    },
    /** @returns what is wrong, one line each */
    check(db) {
      const wrong = [];
      for (const id of taken) {
        const { kept, answered } = db
          .prepare(
            `SELECT count(*) AS kept, (SELECT count(*) FROM emails AS replies WHERE replies.in_reply_to = emails.uuid) AS answered
             FROM emails WHERE message_id = ?`,
          )
          .get(id);
        if (kept !== 1) wrong.push(`mail ${id} is kept ${kept} times`);
        if (answered > 1 || (answers.get(id) ?? 0) > 1) wrong.push(`mail ${id} is answered more than once`);
      }
      return wrong;
    },
    answered: () => answers.size,
    close() {
      transport.close();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

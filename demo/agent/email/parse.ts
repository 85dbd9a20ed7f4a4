/** A mail as it comes over the wire, as what is kept of it: read while it comes, without its attachments. */

import {
  type AddressObject,
  type AttachmentStream,
  type HeaderLines,
  MailParser,
  type MessageText,
} from 'mailparser';
import { withoutZero } from '../text.ts';
import { isAddress } from './address.ts';
import { htmlToText } from './htmltext.ts';
import { toLine } from './mailer.ts';

export interface ReceivedMail {
  /** Of its From; empty where it has none that can be answered. */
  from: string;
  name: string | null;
  subject: string;
  text: string;
  messageId: string | null;
  /** The message ids that it refers to, the nearest last. */
  refersTo: string[];
  /** Written by no hand: of an answering machine, a list, or about a mail that could not be delivered. */
  isAutomatic: boolean;
}

export const maxMailBytes = 10 * 1024 * 1024;
const maxHeaderBytes = 256 * 1024;
/** What is read of it takes time by the line. */
const maxLines = 500_000;
/** Longer ones are cut, and say so. */
const mostText = 100_000;
const mostSubject = 1_000;
const mostIds = 50;
const cutMark = '\n[The rest is cut.]';

/** What the sender is to hear: a status of SMTP, and why. */
export class Refusal extends Error {
  readonly responseCode: number;
  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}

/** Throws a Refusal once all has come: nobody hears before it has sent all. */
export async function readMail(stream: AsyncIterable<Buffer>, envelopeFrom: string): Promise<ReceivedMail> {
  const parser = new MailParser({
    maxHeadSize: maxHeaderBytes,
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    skipImageLinks: true,
  });
  const said: Partial<MessageText> = {};
  let headers: HeaderLines = [];
  parser.on('headerLines', (lines: HeaderLines) => {
    headers = lines;
  });
  parser.on('data', (part: AttachmentStream | MessageText) => {
    if (part.type === 'text') Object.assign(said, part);
    else part.content.on('end', () => part.release?.()).resume();
  });
  const isRead = new Promise<boolean>((resolve) => {
    parser.once('end', () => resolve(true));
    parser.once('error', () => resolve(false));
  });
  const { bytes, lines } = await feed(parser, stream, isRead);
  if (bytes > maxMailBytes) throw new Refusal(552, `The message is larger than ${maxMailBytes} bytes.`);
  if (lines > maxLines) throw new Refusal(554, `The message has more than ${maxLines} lines.`);
  if (!(await isRead)) throw new Refusal(554, 'The message cannot be read.');
  return toReceived(parser, said, headers, envelopeFrom);
}

async function feed(parser: MailParser, stream: AsyncIterable<Buffer>, isRead: Promise<boolean>) {
  const seen = { bytes: 0, lines: 0 };
  let isOver = false;
  const over = isRead.then(() => {
    isOver = true;
  });
  for await (const chunk of stream) {
    seen.bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) seen.lines += 1;
    if (seen.bytes > maxMailBytes || seen.lines > maxLines || isOver || parser.write(chunk)) continue;
    await Promise.race([new Promise((resolve) => parser.once('drain', resolve)), over]);
  }
  parser.end();
  return seen;
}

function toReceived(
  parser: MailParser,
  said: Partial<MessageText>,
  headers: HeaderLines,
  envelopeFrom: string,
): ReceivedMail {
  const header = (name: string) => {
    const line = headers.find(({ key }) => key === name)?.line ?? '';
    return line
      .slice(line.indexOf(':') + 1)
      .replace(/\s+/g, ' ')
      .trim();
  };
  const sender = toMailbox(parser.from) ?? { name: '', address: envelopeFrom };
  const plain = said.text ?? '';
  const text = withoutZero(plain.trim() === '' ? htmlToText(said.html ?? '') : plain).trim();
  return {
    from: isAddress(sender.address) ? sender.address : '',
    name: toLine(sender.name).slice(0, 200) || null,
    subject: withoutZero(toLine(parser.subject ?? '')).slice(0, mostSubject),
    text: text.length > mostText ? text.slice(0, mostText) + cutMark : text,
    messageId: toIds(header('message-id'))[0] ?? null,
    refersTo: [...toIds(header('references')), ...toIds(header('in-reply-to'))].slice(-mostIds),
    isAutomatic: isAutomatic(header, headers, envelopeFrom),
  };
}

function toMailbox(from: AddressObject | undefined) {
  const [one] = from?.value.flatMap((each) => each.group ?? [each]) ?? [];
  return one?.address ? { name: one.name, address: one.address.trim() } : undefined;
}

/** Those of a header, with their brackets: what is longer than any is none. */
function toIds(header: string): string[] {
  return header.match(/<[^<>\s]{1,250}>/g) ?? [];
}

function isAutomatic(header: (name: string) => string, headers: HeaderLines, envelopeFrom: string): boolean {
  const submitted = header('auto-submitted');
  return (
    (submitted !== '' && !/^no\b/i.test(submitted)) ||
    /^(bulk|list|junk)\b/i.test(header('precedence')) ||
    headers.some(({ key }) => key.startsWith('list-') || key === 'x-auto-response-suppress') ||
    /^multipart\/report\b/i.test(header('content-type')) ||
    // RFC 5321: a mail about a mail is answered by none.
    envelopeFrom === ''
  );
}

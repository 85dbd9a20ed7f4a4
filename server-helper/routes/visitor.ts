/** `/visitor`: everything of this owner, to take along or to erase. */

import { type Cursor, readPage } from '../conversation/reading.ts';
import { HelperError, toHelperError } from '../errors.ts';
import { toLogFields } from '../log.ts';
import { limits, type Message, type VisitorExport } from '../protocol/wire.ts';
import type { ConversationRecord } from '../store/store.ts';
import { within } from '../within.ts';
import { letGo } from './conversations.ts';
import { type Parts, type SignedExchange, toEmptyResponse } from './exchange.ts';

const messagesAtOnce = 100;
const beatMs = 15_000;
/** Other visitors may take the room that there was. */
const maxTries = 10;
/** Whoever would have to wait longer is told so instead. */
const mostWaitMs = 60_000;

/** Sent conversation by conversation, so that no number of them is too many to hold. */
export async function exportVisitor(parts: Parts, exchange: SignedExchange): Promise<Response> {
  const headers = { ...exchange.headers, 'content-type': 'application/json' };
  // Nobody would read the stream, nor let it go.
  if (exchange.request.method === 'HEAD') return new Response(null, { headers });
  const pieces = writeExport(parts, exchange);
  // What fails soon is told as a problem; what fails later breaks the reply off, so that it never poses as whole.
  const first = await pieces.next();
  const encoder = new TextEncoder();
  let finish = () => {};
  const sent = new Promise<void>((resolve) => {
    finish = resolve;
  }).finally(() => parts.inFlight.delete(sent));
  parts.inFlight.add(sent);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      if (!first.done) controller.enqueue(encoder.encode(first.value));
    },
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (!done) return controller.enqueue(encoder.encode(value));
        controller.close();
      } catch (error) {
        parts.config.log.error(
          { ...toLogFields(error), code: toHelperError(error).code },
          'an export broke off',
        );
        controller.error(error);
      }
      finish();
    },
    cancel() {
      finish();
      void pieces.return(undefined);
    },
  });
  return new Response(stream, { headers });
}

async function* writeExport(parts: Parts, { session }: SignedExchange): AsyncGenerator<string, void> {
  let head = `{"visitor":${JSON.stringify(session.visitor)},"conversations":[`;
  for await (const record of listAll(parts, session.owner)) {
    const exported = toExported(parts, record);
    // While the agent limits the rate, white space keeps the connection alive.
    while (!(await settlesWithin(exported, beatMs))) yield ' ';
    const text = JSON.stringify(await exported);
    // Deleted or erased meanwhile.
    if (!(await parts.store.findConversation(record.id))) continue;
    yield head + text;
    head = ',';
  }
  yield head === ',' ? ']}' : `${head}]}`;
}

/** Each once. A question asked meanwhile moves its conversation to the front, so all are gone through until none is new. */
async function* listAll({ store, config }: Parts, owner: string): AsyncGenerator<ConversationRecord> {
  const told = new Set<string>();
  for (let isNew = true; isNew; ) {
    isNew = false;
    let before: { updatedAt: number; id: string } | undefined;
    for (;;) {
      const page = await store.listConversations(owner, config.botId, { limit: limits.pageSize, before });
      for (const record of page) {
        if (told.has(record.id)) continue;
        told.add(record.id);
        isNew = true;
        yield record;
      }
      const last = page.at(-1);
      if (!last || page.length < limits.pageSize) break;
      before = { updatedAt: last.updatedAt, id: last.id };
    }
  }
}

async function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  );
  return within(settled, ms).catch(() => false);
}

/** As often as the agent limits the rate. */
async function readPatiently(parts: Parts, record: ConversationRecord, cursor: Cursor | undefined) {
  for (let tries = 0; ; tries += 1) {
    await parts.room(parts.closing);
    try {
      return await readPage({ ...parts, log: parts.config.log }, record, cursor, messagesAtOnce);
    } catch (error) {
      const { code, retryAfterMs = 0 } = toHelperError(error);
      if (code !== 'rate-limited' || retryAfterMs > mostWaitMs || tries === maxTries) throw error;
    }
  }
}

async function toExported(
  parts: Parts,
  record: ConversationRecord,
): Promise<VisitorExport['conversations'][number]> {
  let messages: Message[] = [];
  let cursor: Cursor | undefined;
  do {
    const page = await readPatiently(parts, record, cursor);
    messages = [...page.messages, ...messages];
    cursor = page.next;
  } while (cursor);
  return {
    id: record.id,
    title: record.title,
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
    messages,
  };
}

export async function eraseVisitor(parts: Parts, exchange: SignedExchange): Promise<Response> {
  await parts.attachments.noteErased(exchange.session.owner);
  const erased = await parts.store.eraseOwner(exchange.session.owner, parts.config.botId);
  for (const deleted of erased) letGo(parts, deleted);
  // Attached while files were allowed, perhaps.
  if (!(await parts.attachments.forget(exchange.session.owner)))
    throw new HelperError('internal', 'The store does not answer: erase once more');
  return toEmptyResponse(exchange.headers);
}

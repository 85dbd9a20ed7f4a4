/** Files that come with a question: checked, fetched where only an address is given, and read where they are text. */

import { cutTogether } from '../answer/room.ts';
import { ofTokens } from '../answer/tokens.ts';
import { AgentError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import type { FileStore } from '../store/files.ts';
import { wellFormed } from '../text.ts';

/** `data`: base64 of at most 61,440 bytes, or several such pieces in order; `url`: where it is to be had. */
export interface SentAttachment {
  name: string;
  mime_type: string;
  size: number;
  url?: string | undefined;
  data?: string | string[] | undefined;
}

/** As a model is shown it. */
export interface Attachment {
  name: string;
  /** Absent where it is no text. */
  text?: string;
}

export interface AttachedFile {
  name: string;
  bytes: Buffer;
}

export interface ReadAttachments {
  shown: Attachment[];
  files: AttachedFile[];
}

const maxPieceBytes = 61_440;
const maxBytes = 10 * 1024 * 1024;
/** Of one call: a body holds no more either. */
const mostBytes = 16 * 1024 * 1024;
const maxTextChars = 20_000;
/** Of the model's context, all texts together. */
const mostShare = 0.4;
const maxNameChars = 200;
const textTypes = /^(text\/|application\/(json|xml|x-yaml|yaml|csv|javascript)\b)|\+(json|xml)\b/i;

/**
 * 400 before anything is recorded: what was attached is there, or the question is not taken.
 * @param keepsFiles only then their bytes are held until the turn begins
 */
export async function readAttachments(
  sent: readonly SentAttachment[],
  { outgoing, config }: Pick<Parts, 'outgoing' | 'config'>,
  keepsFiles: boolean,
  signal: AbortSignal,
): Promise<ReadAttachments> {
  const read: ReadAttachments = { shown: [], files: [] };
  let left = mostBytes;
  for (const one of sent) {
    const bytes =
      one.data !== undefined
        ? decode([one.data].flat())
        : one.url !== undefined
          ? await outgoing.fetch(one.url, Math.min(maxBytes, left), 'attachment_failed', signal)
          : undefined;
    if (bytes === undefined)
      throw new AgentError(400, 'invalid_parameters', 'attachments: data or url is needed.');
    if (one.data !== undefined && bytes.length !== one.size)
      throw new AgentError(400, 'invalid_parameters', 'attachments: size is not that of the data.');
    left -= bytes.length;
    if (left < 0)
      throw new AgentError(400, 'invalid_parameters', `attachments: at most ${mostBytes} bytes together.`);
    const isText = textTypes.test(one.mime_type);
    if (keepsFiles) read.files.push({ name: one.name, bytes });
    read.shown.push({ name: one.name, ...(isText ? { text: new TextDecoder().decode(bytes) } : {}) });
  }
  const texts = read.shown.filter(({ text }) => text !== undefined);
  const cut = cutTogether(
    texts.map(({ text = '' }) => text),
    ofTokens(config.contextTokens * mostShare),
    maxTextChars,
  );
  for (const [index, one] of texts.entries()) one.text = cut[index]!;
  return read;
}

/** Whether there is room and a place for them: 403 `plan_limit_reached`, 409 `file_exists`. @param workspace absent: an empty one */
export function requireAttachable(
  store: FileStore,
  workspace: string | null | undefined,
  files: readonly AttachedFile[],
) {
  const paths = [...new Set(files.map(({ name }) => toAttachmentPath(name)))];
  const added = paths.filter((path) => !workspace || !store.find(workspace, path));
  store.requireRoom(workspace, added.length);
  if (workspace) for (const path of added) store.requireFree(workspace, path);
}

const toAttachmentPath = (name: string) => `/attachments/${toFileName(name)}`;

/** Each another version where there is one of its name. @param workspace its uuid */
export function keepAttachments(store: FileStore, workspace: string, files: readonly AttachedFile[]) {
  for (const { name, bytes } of files) {
    const path = toAttachmentPath(name);
    const before = store.find(workspace, path);
    if (before) store.write(before, bytes, 'user');
    else store.create(workspace, { path, content: bytes, language: null, by: 'user' });
  }
}

/** Whatever it was called where it comes from. */
function toFileName(name: string): string {
  const own = wellFormed(name.split(/[/\\]/).at(-1)!).replace(/\p{Cc}/gu, '');
  const last = [...own].slice(0, maxNameChars).join('');
  return /^\.{0,2}$/.test(last) ? 'file' : last;
}

function decode(pieces: readonly string[]): Buffer {
  return Buffer.concat(
    pieces.map((piece) => {
      const bytes = Buffer.from(piece, 'base64');
      if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(piece))
        throw new AgentError(400, 'invalid_parameters', 'attachments: data is base64.');
      if (bytes.length > maxPieceBytes)
        throw new AgentError(
          400,
          'invalid_parameters',
          `attachments: data is sent in pieces of at most ${maxPieceBytes} bytes.`,
        );
      return bytes;
    }),
  );
}

/** The option `attachments`: which files visitors may attach to a question, how large and how many. */

import { readSomeOf, readWhole, toWrong } from '../option.ts';
import { type AttachmentType, attachmentTypes } from './kinds.ts';

export type AttachmentsOption = {
  /** Default all: PNG, JPEG, GIF and WebP images, PDF, text in UTF-8. */
  types?: readonly AttachmentType[];
  /** Of one file. Default 5,000,000. */
  bytes?: number;
  /** Of one question; together they have at most 10,000,000 bytes. Default 4. */
  files?: number;
};
export type AttachmentRules = Required<AttachmentsOption>;

/** An agent takes 16 MB in one call, and in base64 a third is added. */
export const mostBytesTogether = 10_000_000;
const mostFiles = 8;
const defaults = { bytes: 5_000_000, files: 4 };

/** @returns undefined where none are allowed @throws TypeError naming the option */
export function readAttachments(name: string, value: unknown): AttachmentRules | undefined {
  if (value === undefined || value === false) return undefined;
  const given = value === true ? {} : value;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw toWrong(name, 'true, false, or an object of types, bytes and files');
  const { types, bytes, files, ...others } = given as AttachmentsOption;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw toWrong(name, `without ${unknown}: it has types, bytes and files`);
  return {
    types: readSomeOf(`${name}.types`, types, attachmentTypes, attachmentTypes),
    bytes: readWhole(`${name}.bytes`, bytes, 1, mostBytesTogether, defaults.bytes),
    files: readWhole(`${name}.files`, files, 1, mostFiles, defaults.files),
  };
}

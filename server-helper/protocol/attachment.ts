/** Files that come with a question. */

/** Media types, bytes of one file, files of one question; `false` where none may be attached. */
export type AllowedAttachments = false | { types: string[]; bytes: number; files: number };

/** One that waits for the question that names its id: an hour, or until that has been answered. */
export type Attachment = { id: string; name: string; type: string; size: number };

export const maxFileNameChars = 200;

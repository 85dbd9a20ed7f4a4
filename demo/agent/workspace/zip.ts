/** A workspace as a ZIP archive, made as it is read. */

import { Zip, ZipDeflate } from 'fflate';
import type { FileStore } from '../store/files.ts';

const filesAtOnce = 50;

/** Its pieces, in order. What is written meanwhile may be in it or not. @param uuid of the workspace */
export async function* toZip(files: FileStore, uuid: string): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  let last = '';
  for (;;) {
    const next = files.after(uuid, last, filesAtOnce);
    for (const file of next) {
      last = file.path;
      const content = files.content(file, file.version);
      // Written or deleted since the list was read.
      if (!content) continue;
      const entry = new ZipDeflate(file.path.slice(1), { level: 6 });
      entry.mtime = file.updated_at;
      zip.add(entry);
      entry.push(content, true);
      yield* pieces.splice(0);
    }
    if (next.length < filesAtOnce) break;
  }
  zip.end();
  yield* pieces.splice(0);
}

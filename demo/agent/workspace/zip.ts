/** A workspace as a ZIP archive, made as it is read. */

import { setImmediate as breathe } from 'node:timers/promises';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import type { FileStore } from '../store/files.ts';

const filesAtOnce = 50;
/** Between two looks at what else there is to do. */
const bytesAtOnce = 128 * 1024;
/** ZIP knows no other years. */
const [firstMs, lastMs] = [Date.UTC(1980, 0, 2), Date.UTC(2099, 11, 30)];
/** Less is not worth the tables of a compression. */
const leastCompressed = 1024;

/**
 * Its pieces, in order. What is written meanwhile may be in it or not.
 *
 * @param uuid of the workspace
 * @param requireIt throws once it is gone: an archive that ends as others do would pass for a whole one
 */
export async function* toZip(
  files: FileStore,
  uuid: string,
  requireIt: () => unknown,
): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  let last = '';
  let unrested = 0;
  for (;;) {
    const next = files.after(uuid, last, filesAtOnce);
    for (const file of next) {
      last = file.path;
      const content = files.content(file, file.version);
      // Written or deleted since the list was read.
      if (!content) continue;
      const name = file.path.slice(1);
      const entry =
        content.length < leastCompressed ? new ZipPassThrough(name) : new ZipDeflate(name, { level: 6 });
      entry.mtime = Math.min(Math.max(file.updated_at, firstMs), lastMs);
      zip.add(entry);
      for (let at = 0; at === 0 || at < content.length; at += bytesAtOnce) {
        const end = at + bytesAtOnce;
        entry.push(content.subarray(at, end), end >= content.length);
        yield* pieces.splice(0);
        unrested += Math.min(content.length - at, bytesAtOnce);
        if (unrested < bytesAtOnce) continue;
        await breathe();
        unrested = 0;
      }
    }
    await breathe();
    requireIt();
    if (next.length < filesAtOnce) break;
  }
  zip.end();
  yield* pieces.splice(0);
}

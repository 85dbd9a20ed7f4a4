/** Reads the built widget from the package, with the Brotli copies that the build made. Node only. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WidgetFile, WidgetFiles } from './routes/widget.ts';

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
};

/** Empty when the widget has not been built: `/widget/*` then answers 404. */
export function readWidgetFiles(): WidgetFiles {
  const folder = fileURLToPath(new URL('../widget/', import.meta.url));
  const files = new Map<string, WidgetFile>();
  if (!existsSync(folder)) return files;
  for (const name of readdirSync(folder)) {
    const type = types[name.split('.').pop() ?? ''];
    if (!type) continue;
    const file: WidgetFile = {
      type,
      bytes: readFileSync(join(folder, name)),
    };
    if (!/-[\w-]{8}\.js$/.test(name))
      file.etag = `W/"${createHash('sha256').update(file.bytes).digest('base64url').slice(0, 16)}"`;
    const packed = join(folder, `${name}.br`);
    if (existsSync(packed)) file.brotli = readFileSync(packed);
    files.set(name, file);
  }
  return files;
}

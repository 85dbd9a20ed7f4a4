/** The built widget, read once, when it is first asked for. */
import type { WidgetFile, WidgetFiles } from './routes/widget.ts';

let loaded: Promise<WidgetFiles> | undefined;

/** Empty when the widget has not been built: `/widget/*` then answers 404. */
export function loadWidgetFiles(): Promise<WidgetFiles> {
  loaded ??= readBundle().catch((error: unknown) => {
    // The next page tries again.
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function readBundle(): Promise<WidgetFiles> {
  const { files } = await import('./widget-bundle.ts');
  return new Map(
    files.map(({ name, text, brotli, etag }): [string, WidgetFile] => [
      name,
      {
        type: name.endsWith('.json') ? 'application/json' : 'text/javascript; charset=utf-8',
        bytes: new TextEncoder().encode(text),
        ...(brotli !== undefined && { brotli: toBytes(brotli) }),
        ...(etag !== undefined && { etag }),
      },
    ]),
  );
}

const toBytes = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

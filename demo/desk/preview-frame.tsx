/** The chat as a visitor would have it, in a page of its own. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Preview } from './preview.ts';

/** Typing is not to begin the chat anew with every letter. */
const settleMs = 400;

export function PreviewFrame({ botId, name, branding }: Omit<Preview, 'openStyle'>) {
  const [openStyle, setOpenStyle] = useState<Preview['openStyle']>('normal');
  const [isReady, setReady] = useState(false);
  const frame = useRef<HTMLIFrameElement>(null);
  const shown = JSON.stringify({ botId, name, branding, openStyle } satisfies Preview);

  useEffect(() => {
    const hear = ({ source, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data === 'ready') setReady(true);
    };
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, []);
  useEffect(() => {
    if (!isReady) return;
    const timer = setTimeout(
      () => frame.current?.contentWindow?.postMessage(JSON.parse(shown), location.origin),
      settleMs,
    );
    return () => clearTimeout(timer);
  }, [shown, isReady]);

  return (
    <section class="preview" aria-label="Preview">
      <label class="choice">
        <span>Preview as a</span>
        <select
          value={openStyle}
          onChange={(event) => setOpenStyle(event.currentTarget.value as Preview['openStyle'])}
        >
          <option value="normal">window</option>
          <option value="dock">dock</option>
        </select>
      </label>
      <iframe ref={frame} src="/desk/preview" title="The chat" />
      <p class="faint">It answers as the agent does. What is asked here is a conversation like others.</p>
    </section>
  );
}

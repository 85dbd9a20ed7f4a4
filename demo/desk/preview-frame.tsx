/** The chat as a visitor would have it, in a page of its own. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Preview } from './preview.ts';

/** Typing is not to begin the chat anew with every letter. */
const settleMs = 400;
/** After that nothing will come. */
const readyWithinMs = 10_000;

export function PreviewFrame({ botId, name, branding }: Omit<Preview, 'openStyle'>) {
  const [openStyle, setOpenStyle] = useState<Preview['openStyle']>('normal');
  const [isReady, setReady] = useState(false);
  const [isFailed, setFailed] = useState(false);
  const [round, setRound] = useState(0);
  const frame = useRef<HTMLIFrameElement>(null);
  const shown = JSON.stringify({ botId, name, branding, openStyle } satisfies Preview);

  useEffect(() => {
    const hear = ({ source, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow) return;
      if (data === 'ready') {
        setReady(true);
        setFailed(false);
      }
      if (data === 'failed') setFailed(true);
    };
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, []);
  useEffect(() => {
    if (isReady) return;
    const timer = setTimeout(() => setFailed(true), readyWithinMs);
    return () => clearTimeout(timer);
  }, [isReady, round]);
  useEffect(() => {
    if (!isReady) return;
    const timer = setTimeout(() => {
      // It says so again, if it is.
      setFailed(false);
      frame.current?.contentWindow?.postMessage(JSON.parse(shown), location.origin);
    }, settleMs);
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
      {isFailed && (
        <p class="wrong" role="alert">
          The agent could not be read: this is not how its chat looks.{' '}
          <button
            type="button"
            onClick={() => {
              setReady(false);
              setFailed(false);
              setRound(round + 1);
            }}
          >
            Try again
          </button>
        </p>
      )}
      <iframe key={round} ref={frame} src="/desk/preview" title="The chat" />
      <p class="faint">It answers as the agent does. What is asked here is a conversation like others.</p>
    </section>
  );
}

/** What is opened from a list, before all else until it is closed; and what the last action came to. */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { focusOn, No, useFocus } from './parts.tsx';
import { notice } from './state.ts';
import { WrittenInPanel } from './written.ts';

/** What the last action came to. */
export function Notice() {
  return (
    <p role="status" class={notice.value?.isError ? 'notice wrong' : 'notice'}>
      {notice.value?.text}
    </p>
  );
}

interface PanelProps {
  title: string;
  close(): void;
  children: ComponentChildren;
}

/** Before all else until it is closed; what had the focus has it again then. What was written is not closed unasked. */
export function Panel({ title, close, children }: PanelProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const opener = useRef(document.activeElement);
  const written = useRef(false);
  const [isAsking, setAsking] = useState(false);
  useLayoutEffect(() => {
    dialog.current!.showModal();
    return () => {
      dialog.current?.close();
      focusOn(opener.current);
    };
  }, []);
  const leave = () => (written.current ? setAsking(true) : close());
  const throwAway = () => {
    written.current = false;
    close();
  };
  return (
    <dialog
      class="panel"
      ref={dialog}
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Pressed again, it means No.
        event.preventDefault();
        if (isAsking) setAsking(false);
        else leave();
      }}
      onClose={() => {
        if (!written.current) return close();
        // However the browser has closed it.
        dialog.current?.showModal();
        setAsking(true);
      }}
      onClick={(event) => event.target === event.currentTarget && leave()}
    >
      <div>
        <header>
          <h2 tabIndex={-1} ref={useFocus<HTMLHeadingElement>()} dir="auto">
            {title}
          </h2>
          {isAsking ? (
            <span class="asking">
              Throw away what is not saved?
              <button type="button" onClick={throwAway}>
                Yes
              </button>
              <No press={() => setAsking(false)} />
            </span>
          ) : (
            <button type="button" class="plain" onClick={leave}>
              Close
            </button>
          )}
        </header>
        <Notice />
        <WrittenInPanel.Provider value={written}>{children}</WrittenInPanel.Provider>
      </div>
    </dialog>
  );
}

/** What is opened from a list, before all else until it is closed; and what the last action came to. */

import type { ComponentChildren } from 'preact';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
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

/** Pressed twice, a button is meant once, and not what comes to lie under the pointer. */
const tooSoonMs = 500;
let closedAt = Number.NEGATIVE_INFINITY;
export const wasJustClosed = () => performance.now() - closedAt < tooSoonMs;

interface PanelProps {
  title: string;
  close(): void;
  children: ComponentChildren;
}

/** Before all else until it is closed; what had the focus has it again then. What was written is not closed unasked. */
export function Panel({ title, close, children }: PanelProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const opener = useRef(document.activeElement);
  const openedAt = useRef(performance.now());
  const written = useRef(false);
  const isPressedBeside = useRef(false);
  /** Where one was when it was asked. */
  const asked = useRef<Element | null>(null);
  const closer = useRef<HTMLButtonElement>(null);
  const [isAsking, setAsking] = useState(false);
  useLayoutEffect(() => {
    dialog.current!.showModal();
    return () => {
      closedAt = performance.now();
      dialog.current?.close();
      focusOn(opener.current);
    };
  }, []);
  const ask = () => {
    asked.current = document.activeElement;
    setAsking(true);
  };
  const stay = () => {
    setAsking(false);
    // It had given way to the question. At once: the next key is pressed in here too.
    closer.current!.hidden = false;
    focusOn(asked.current);
  };
  const leave = () => (written.current ? ask() : close());
  const note = useCallback((isWritten: boolean) => {
    written.current = isWritten;
    if (!isWritten) setAsking(false);
  }, []);
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
        if (isAsking) stay();
        else leave();
      }}
      onClose={() => {
        if (!written.current) return close();
        // However the browser has closed it.
        dialog.current?.showModal();
        ask();
      }}
      onPointerDown={(event) => {
        isPressedBeside.current = event.target === event.currentTarget;
      }}
      // What was selected within may end beside it.
      onClick={(event) => {
        const isBeside = isPressedBeside.current && event.target === event.currentTarget;
        if (isBeside && performance.now() - openedAt.current > tooSoonMs) leave();
      }}
    >
      <div>
        <header>
          <div class="titled">
            <h2 tabIndex={-1} ref={useFocus<HTMLHeadingElement>()} dir="auto">
              {title}
            </h2>
            {isAsking && (
              <span class="asking">
                Throw away what is not saved?
                <button type="button" onClick={throwAway}>
                  Yes
                </button>
                <No press={stay} />
              </span>
            )}
            <button type="button" class="plain" onClick={leave} ref={closer} hidden={isAsking}>
              Close
            </button>
          </div>
          <Notice />
        </header>
        <WrittenInPanel.Provider value={note}>{children}</WrittenInPanel.Provider>
      </div>
    </dialog>
  );
}

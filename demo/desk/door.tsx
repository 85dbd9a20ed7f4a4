/** Where a key is entered: before the desk, and over it when the one that was used is taken back. */

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { focusOn, useFocus } from './parts.tsx';
import { leave, refusal, signIn } from './state.ts';

export function Door() {
  useEffect(() => {
    document.title = 'Desk';
  }, []);
  return (
    <main class="door">
      <Entry />
    </main>
  );
}

/** What is written beneath it waits. */
export function DoorAgain() {
  const dialog = useRef<HTMLDialogElement>(null);
  const opener = useRef(document.activeElement);
  useLayoutEffect(() => {
    dialog.current!.showModal();
    return () => {
      dialog.current?.close();
      focusOn(opener.current);
    };
  }, []);
  return (
    <dialog
      class="door"
      ref={dialog}
      aria-label="Enter again"
      onCancel={(event) => event.preventDefault()}
      // However the browser has closed it.
      onClose={() => dialog.current?.showModal()}
    >
      <Entry>
        <button type="button" class="plain" onClick={leave}>
          Leave
        </button>
      </Entry>
    </dialog>
  );
}

function Entry({ children }: { children?: ComponentChildren }) {
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        // One after the other: of two keys the later answer would win.
        if (isBusy) return;
        const key = String(new FormData(event.currentTarget).get('key'));
        setBusy(true);
        setError('');
        await signIn(key).catch((thrown: Error) => setError(thrown.message));
        setBusy(false);
      }}
    >
      <h1>Desk</h1>
      <p>Enter an API key of an owner, an admin or a moderator.</p>
      <input type="text" autocomplete="username" value="desk" hidden readOnly />
      <label>
        API key{' '}
        <input
          type="password"
          name="key"
          required
          maxLength={500}
          autocomplete="current-password"
          ref={useFocus<HTMLInputElement>()}
        />
      </label>
      <button type="submit" aria-disabled={isBusy}>
        {isBusy ? 'Loading' : 'Enter'}
      </button>
      {children}
      <p role="alert">{error || refusal.value}</p>
    </form>
  );
}

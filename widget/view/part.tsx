/** A piece of the view that is loaded when it is first shown; where that fails, it is tried again by itself, and by a click where it says so. */
import { signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { type State, tellOwner } from '../states.ts';
import { en } from '../strings/en.ts';
import { toBackoffMs, wait } from '../transport/backoff.ts';
import { useChat } from './context.ts';
import { Notice } from './notice.tsx';

type PartModule<P> = { default: FunctionComponent<P>; css?: string; words?: object };

/** @param Pending stands for it until it is there; without one that is said in its place */
export function createPart<P extends object>(
  load: () => Promise<PartModule<P>>,
  Pending?: FunctionComponent<P & { failure: State | undefined }>,
) {
  const loaded = signal<FunctionComponent<P> | undefined>(undefined);
  const failed = signal<State | undefined>(undefined);
  const sheet = new CSSStyleSheet();

  let isLoading = false;
  let tries = 0;
  const get = (helper: string): void => {
    if (isLoading || loaded.value) return;
    isLoading = true;
    // Many a browser keeps a failed import for as long as the page is there: where it must fail it is not tried.
    // A browser beside its helper on one machine may be offline all the same.
    (navigator.onLine ? load() : fetch(helper).then(load)).then(
      (part) => {
        sheet.replaceSync(part.css ?? '');
        Object.assign(en, part.words);
        loaded.value = part.default;
      },
      () => {
        isLoading = false;
        failed.value = navigator.onLine ? 'part-failed' : 'offline';
        tellOwner('part-failed', helper);
        tries += 1;
        void wait(toBackoffMs(tries)).then(() => get(helper));
      },
    );
  };
  function Part(props: P) {
    const { options, root } = useChat();
    useEffect(() => {
      if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
      get(options.helper);
    }, []);
    const Loaded = loaded.value;
    if (Loaded) return <Loaded {...props} />;
    if (Pending) return <Pending {...props} failure={failed.value} />;
    const again = () => {
      failed.value = undefined;
      get(options.helper);
    };
    return (
      <Notice state={failed.value ?? 'loading'} again={again} class={failed.value ? undefined : 'outcome'} />
    );
  }
  return Object.assign(Part, { load: get });
}

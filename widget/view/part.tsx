/** A piece of the view that is loaded when it is first shown; where that fails, it says so and can be tried again. */
import { signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { tellOwner } from '../states.ts';
import { useChat } from './context.ts';
import { Notice } from './notice.tsx';

export function createPart<P extends object>(load: () => Promise<{ default: FunctionComponent<P> }>) {
  const loaded = signal<FunctionComponent<P> | undefined>(undefined);
  const failed = signal(false);

  return function Part(props: P) {
    const { options } = useChat();
    const get = () => {
      failed.value = false;
      load().then(
        (module) => {
          loaded.value = module.default;
        },
        () => {
          failed.value = true;
          tellOwner('part-failed', options.helper);
        },
      );
    };
    useEffect(() => {
      if (!loaded.value) get();
    }, []);
    const Loaded = loaded.value;
    if (Loaded) return <Loaded {...props} />;
    return failed.value ? <Notice state="part-failed" again={get} /> : null;
  };
}

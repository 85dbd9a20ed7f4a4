/** What an area shows, read anew when it asks for something else, and while it changes. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, ApiError, call, type Input } from './api.ts';
import { botId, leaveIfRefused } from './state.ts';

const [firstLookMs, lastLookMs] = [1_500, 15_000];

export interface Loaded {
  /** What was there last, until something newer is. */
  data: Answer | undefined;
  error: string | undefined;
  /** Whether what is shown is what is asked for. */
  isBusy: boolean;
  reload(): void;
  /** What a change was answered with stands there at once. */
  show(data: Answer): void;
}

/** @param isChanging whether to look again before long: less often the longer it takes, and not in a hidden tab */
export function useLoad(path: string, input: Input = {}, isChanging?: (data: Answer) => boolean): Loaded {
  const [state, setState] = useState<{ data?: Answer; error?: string; of?: string }>({});
  const [round, setRound] = useState(0);
  const wait = useRef(firstLookMs);
  const asked = JSON.stringify([path, botId.value, input]);

  useEffect(() => {
    let isOld = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      timer = setTimeout(() => (document.hidden ? later() : setRound((one) => one + 1)), wait.current);
      wait.current = Math.min(wait.current * 1.3, lastLookMs);
    };
    call('GET', path, { bot_id: botId.value, ...input }).then(
      (data) => {
        if (isOld) return;
        setState({ data, of: asked });
        if (isChanging?.(data)) later();
        else wait.current = firstLookMs;
      },
      (thrown: Error) => {
        if (isOld) return;
        leaveIfRefused(thrown);
        setState((before) => ({ ...before, error: thrown.message, of: asked }));
        if (thrown instanceof ApiError && thrown.retryMs !== undefined)
          wait.current = Math.max(thrown.retryMs, firstLookMs);
        else if (!isChanging) return;
        later();
      },
    );
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [asked, round]);

  return {
    data: state.data,
    error: state.error,
    isBusy: state.of !== asked,
    reload: useCallback(() => {
      wait.current = firstLookMs;
      setRound((one) => one + 1);
    }, []),
    show: (data) => setState({ data, of: asked }),
  };
}

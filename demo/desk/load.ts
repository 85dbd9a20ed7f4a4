/** What an area shows, read anew when it asks for something else, and while it changes. */

import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Answer, ApiError, call, type Input } from './api.ts';
import { botId, signOut } from './state.ts';

const lookMs = 1_500;

export interface Loaded {
  data: Answer | undefined;
  error: string | undefined;
  reload(): void;
}

/** @param isChanging whether to look again before long */
export function useLoad(path: string, input: Input = {}, isChanging?: (data: Answer) => boolean): Loaded {
  const [state, setState] = useState<{ data?: Answer; error?: string; of?: string }>({});
  const [round, setRound] = useState(0);
  const asked = JSON.stringify([path, botId.value, input]);

  useEffect(() => {
    let isOld = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    call('GET', path, { bot_id: botId.value, ...input }).then(
      (data) => {
        if (isOld) return;
        setState({ data, of: asked });
        if (isChanging?.(data)) timer = setTimeout(() => setRound((one) => one + 1), lookMs);
      },
      (thrown: Error) => {
        if (thrown instanceof ApiError && thrown.code === 'invalid_api_key') signOut();
        if (!isOld) setState({ error: thrown.message, of: asked });
      },
    );
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [asked, round]);

  const isCurrent = state.of === asked;
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    reload: useCallback(() => setRound((one) => one + 1), []),
  };
}

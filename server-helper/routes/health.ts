/** `GET /healthz` and `/readyz`: whether the process lives, and whether it can serve. */
import { toCauseCode } from '../errors.ts';
import { within } from '../within.ts';
import { type Parts, toJsonResponse } from './exchange.ts';

/** Each is `ok` or a code. */
type Checks = { store: string; agent: string };

export type Health = {
  alive(): Response;
  /** 503 while something that the helper needs does not answer, or while it shuts down. */
  ready(isClosing: boolean): Promise<Response>;
};

/** Anybody may ask, so the store and the agent are asked at most this often. */
const askedEveryMs = 5_000;
const storeTimeoutMs = 3_000;

/** @param nowMs monotonic */
export function createHealth(
  { store, bot }: Pick<Parts, 'store' | 'bot'>,
  nowMs = () => performance.now(),
): Health {
  let asked: { atMs: number; checks: Promise<Checks> } | undefined;
  const ask = async (): Promise<Checks> => {
    const [storeCode, agentCode] = await Promise.all([
      toCode(within(store.check(), storeTimeoutMs)),
      toCode(bot.check()),
    ]);
    return { store: storeCode, agent: agentCode };
  };
  const headers = { 'cache-control': 'no-store' };
  return {
    alive: () => toJsonResponse({ status: 'ok' }, headers),
    async ready(isClosing) {
      if (!asked || nowMs() - asked.atMs >= askedEveryMs) asked = { atMs: nowMs(), checks: ask() };
      const checks = await asked.checks;
      const fault = Object.values(checks).find((code) => code !== 'ok') ?? 'ok';
      const status = isClosing ? 'shutting-down' : fault;
      return toJsonResponse({ status, checks }, headers, status === 'ok' ? 200 : 503);
    },
  };
}

async function toCode(check: Promise<void>): Promise<string> {
  try {
    await check;
    return 'ok';
  } catch (error) {
    return toCauseCode(error);
  }
}

/** The plan area of the agent's API: how many of the workspaces made for visitors it allows are used. */
import type { Log } from '../log.ts';
import type { AgentHttp } from './http.ts';
import { asObject } from './json.ts';

const planPath = '/v1/plan';
const listPath = '/v1/bot/workspace/readall';
/** Not every key may see them, and nothing depends on them. */
export const planPaths: readonly string[] = [planPath, listPath];

/** Of this agent. */
export type Allowance = { used: number; most: number };

/** @param timeoutMs of each of two calls @returns undefined where the agent does not say, or not to this key @throws HelperError */
export async function readAllowance(
  http: Pick<AgentHttp, 'call'>,
  timeoutMs?: number,
): Promise<Allowance | undefined> {
  const within = timeoutMs === undefined ? {} : { timeoutMs };
  const reply = asObject(await http.call('GET', planPath, within));
  const plan = asObject(reply?.data) ?? reply;
  const most = asObject(plan?.limits)?.service_workspaces;
  if (typeof most !== 'number' || most < 0) return undefined;
  // The limit is an agent's, and what the plan says is used is the project's.
  const query = { kind: 'service', per_page: '1' };
  const list = await http.call('GET', listPath, { query, ...within }).catch(() => undefined);
  const own = toCount(asObject(asObject(list)?.pagination)?.total);
  const usage = asObject(plan?.usage);
  const isOnly = typeof usage?.agents !== 'number' || usage.agents <= 1;
  const used = own ?? (isOnly ? toCount(usage?.service_workspaces) : undefined);
  return used === undefined ? undefined : { used, most };
}

const toCount = (said: unknown): number | undefined =>
  Number.isInteger(said) && (said as number) >= 0 ? (said as number) : undefined;

/** The owner is to hear of it while new conversations can still begin. */
export const isNearlyUsedUp = ({ used, most }: Allowance): boolean => used >= most * 0.8;

const lookAgainMs = 3600_000;
const lookSoonMs = 60_000;

/** @param nowMs monotonic @returns to be called with each workspace that is made */
export function createAllowanceWatch(
  http: Pick<AgentHttp, 'call'>,
  log: Log,
  nowMs: () => number,
): () => void {
  let lookAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let known: Allowance | undefined;
  let madeSince = 0;
  /** By those that were made here since the last look, which found room. */
  const hasBecomeNear = () =>
    known !== undefined &&
    !isNearlyUsedUp(known) &&
    isNearlyUsedUp({ ...known, used: known.used + madeSince });
  const look = async () => {
    const made = madeSince;
    madeSince = 0;
    // Each look is two calls of the plan's too. Until it has been answered nobody looks again.
    lookAt = nowMs() + lookAgainMs;
    const before = known;
    known = undefined;
    try {
      known = await readAllowance(http);
      failures = 0;
    } catch {
      known = before;
      madeSince += made;
      lookAt = nowMs() + Math.min(lookAgainMs, lookSoonMs * 2 ** failures);
      failures += 1;
      return;
    }
    if (!known || !isNearlyUsedUp(known)) return;
    lookAt = nowMs() + lookSoonMs;
    log.warn(known, 'the plan’s workspaces are nearly used up: soon no new conversation can begin');
  };
  return () => {
    madeSince += 1;
    if (nowMs() >= lookAt || (failures === 0 && hasBecomeNear())) void look();
  };
}

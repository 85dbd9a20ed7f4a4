/** The plan area of the agent's API: how many of the workspaces made for visitors it allows are used. */
import type { Log } from '../log.ts';
import type { AgentHttp } from './http.ts';
import { asObject } from './json.ts';

export const planPath = '/v1/plan';

export type Allowance = { used: number; most: number };

/** Undefined where the agent does not say, or not to this key. @throws HelperError */
export async function readAllowance(http: AgentHttp): Promise<Allowance | undefined> {
  const reply = asObject(await http.call('GET', planPath));
  const plan = asObject(reply?.data) ?? reply;
  const used = asObject(plan?.usage)?.service_workspaces;
  const most = asObject(plan?.limits)?.service_workspaces;
  return typeof used === 'number' && typeof most === 'number' ? { used, most } : undefined;
}

/** The owner is to hear of it while new conversations can still begin. */
export const isNearlyUsedUp = ({ used, most }: Allowance): boolean => used >= most * 0.8;

const lookAgainMs = 3600_000;
const lookSoonMs = 60_000;

/** @param nowMs monotonic @returns to be called with each workspace that is made */
export function createAllowanceWatch(http: AgentHttp, log: Log, nowMs: () => number): () => void {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let known: Allowance | undefined;
  let madeSince = 0;
  const look = async () => {
    known = await readAllowance(http).catch(() => undefined);
    if (known && isNearlyUsedUp(known))
      log.warn(known, 'the plan’s workspaces are nearly used up: soon no new conversation can begin');
  };
  return () => {
    madeSince += 1;
    const isNear = known !== undefined && isNearlyUsedUp({ ...known, used: known.used + madeSince });
    // Each look is a call of the plan's too.
    if (nowMs() - lookedAt < (isNear ? lookSoonMs : lookAgainMs)) return;
    lookedAt = nowMs();
    madeSince = 0;
    void look();
  };
}

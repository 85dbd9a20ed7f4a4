/** Asks the agent who it is, and reads in how it fails which variable is wrong. */
import { isGone } from '../agent/failure.ts';
import { createAgentHttp, type Dispatch } from '../agent/http.ts';
import { isNearlyUsedUp, readAllowance } from '../agent/plan.ts';
import type { Config } from '../config.ts';
import { HelperError, toHelperError } from '../errors.ts';
import type { LogFields } from '../log.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 10_000;
/** Sessions and sign-ins are held to the minute. */
const mostAheadMs = 30_000;

export async function checkAgent(config: Config, dispatch: Dispatch): Promise<Finding[]> {
  let told: LogFields = {};
  const keep = (fields: LogFields) => {
    if ('path' in fields) told = fields;
  };
  const http = createAgentHttp({ ...config, log: { info() {}, warn: keep, error: keep } }, dispatch);
  const startedAt = performance.now();
  const findings: Finding[] = [];
  try {
    const reply = (await http.call('GET', '/v1/bot/read', { timeoutMs })) as
      | Record<string, unknown>
      | undefined;
    const bot = (reply?.bot ?? reply?.data ?? reply) as { name?: unknown } | undefined;
    const ms = Math.round(performance.now() - startedAt);
    const name = typeof bot?.name === 'string' ? ` as “${bot.name.replace(/\p{C}/gu, ' ')}”` : '';
    findings.push({
      about: 'agent',
      state: 'ok',
      text: `${config.agentUrl.host} answers${name} in ${ms} ms`,
    });
  } catch (error) {
    const { code } = toHelperError(error);
    const state = code === 'rate-limited' ? 'note' : 'wrong';
    const text = isGone(error) ? toUnknown(config.agentUrl.host) : explain(config.agentUrl.host, code, told);
    findings.push({ about: 'agent', state, text });
  }
  const isMaking = config.workspace === 'conversation' || config.workspace === 'visitor';
  const isThere = findings[0]?.state === 'ok';
  const allowance =
    isMaking && isThere ? await readAllowance(http, timeoutMs).catch(toHelperError) : undefined;
  if (allowance instanceof HelperError) {
    const text = 'the agent does not say how many of the plan’s are left: nobody is warned before none is';
    findings.push({ about: 'workspaces', state: 'note', text });
  } else if (allowance && isNearlyUsedUp(allowance)) {
    const { used, most } = allowance;
    const text = `${used} of the plan’s ${most} for visitors are used, and each new ${config.workspace} takes one: ask for more, or keep fewer (PORCHLIGHT_WORKSPACE, PORCHLIGHT_RETENTION_DAYS)`;
    findings.push({ about: 'workspaces', state: used < most ? 'note' : 'wrong', text });
  }
  if (Math.abs(http.aheadMs) > mostAheadMs) {
    const seconds = Math.round(Math.abs(http.aheadMs) / 1000);
    const text = `this machine’s is ${seconds} s ${http.aheadMs > 0 ? 'behind' : 'ahead of'} the agent’s: sign-ins fail. Set it by NTP`;
    findings.push({ about: 'clock', state: 'wrong', text });
  }
  return findings;
}

const toUnknown = (host: string) =>
  `${host} does not know this agent: PORCHLIGHT_PROJECT_ID or PORCHLIGHT_BOT_ID is wrong`;

/** @param told what the log would have said of it */
function explain(host: string, code: string, { status, cause, agentCode }: LogFields): string {
  const said = agentCode === undefined ? '' : ` (${agentCode})`;
  if (cause === 'econnrefused')
    return `nothing listens at ${host}: is the agent service running, and PORCHLIGHT_AGENT_URL right?`;
  if (cause === 'enotfound' || cause === 'eai-again')
    return `no machine is called ${host}: is PORCHLIGHT_AGENT_URL right?`;
  if (/wrong-version|packet-length|eproto/.test(String(cause)))
    return `${host} speaks no https (${cause}): is the port right, or is PORCHLIGHT_AGENT_URL to begin with http://?`;
  if (/cert|self-signed|verify|altname|tls|ssl/.test(String(cause)))
    return `${host} has no certificate that this machine believes (${cause}): mend it there, or add its authority by NODE_EXTRA_CA_CERTS`;
  if (cause !== undefined)
    return `${host} cannot be reached (${cause}): is PORCHLIGHT_AGENT_URL right, and open from here?`;
  if (status !== undefined && Number(status) < 400)
    return `${host} sends calls on to another address (${status}): PORCHLIGHT_AGENT_URL has to be that one, with https:// perhaps`;
  if (status === 401)
    return `${host} does not take the key${said}: PORCHLIGHT_API_KEY is wrong or was rotated`;
  if (status === 402)
    return `${host} says that nothing is paid for${said}: look at the plan and credits there`;
  if (status === 403)
    return `${host} does not let the key use this agent${said}: is it a key of PORCHLIGHT_PROJECT_ID, and does its role allow it?`;
  if (status === 404 && agentCode === undefined)
    return `${host} has no such path: PORCHLIGHT_AGENT_URL is the base of its API, without /v1`;
  if (code === 'agent-refused') return toUnknown(host);
  if (code === 'rate-limited') return `${host} answers, and limits the rate now`;
  if (status !== undefined) return `${host} answered ${status}${said}: look at its own log`;
  return `${host} did not answer within ${timeoutMs / 1000} s, or not in JSON: does PORCHLIGHT_AGENT_URL lead to its API?`;
}

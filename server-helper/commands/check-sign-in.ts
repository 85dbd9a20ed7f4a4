/** Introduces a visitor of its own to the agent: whether both have the same secret. */
import { AgentMissing } from '../agent/failure.ts';
import { createAgentHttp, type Dispatch } from '../agent/http.ts';
import type { Config } from '../config.ts';
import { toHelperError } from '../errors.ts';
import type { LogFields } from '../log.ts';
import { signSsoToken } from '../mint.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 10_000;
/** Nobody’s: the domain is kept for that (RFC 2606). */
const email = 'check@porchlight.invalid';

export function mintForCheck(secret: string, { ssoIssuer }: Config): Promise<string> {
  return signSsoToken({ email, issuer: ssoIssuer ?? null }, secret);
}

export async function checkSignIn(config: Config, dispatch: Dispatch): Promise<Finding[]> {
  const [secret] = config.ssoSecrets;
  if (secret === undefined || config.identity === 'off') return [];
  const { host } = config.agentUrl;
  const find = (state: Finding['state'], text: string): Finding[] => [{ about: 'sign-in', state, text }];
  let told: LogFields = {};
  const keep = (fields: LogFields) => {
    if ('path' in fields) told = fields;
  };
  const http = createAgentHttp({ ...config, log: { info() {}, warn: keep, error: keep } }, dispatch);
  try {
    const token = await mintForCheck(secret, config);
    await http.call('POST', '/v1/bot/widget/sso', { body: { token }, timeoutMs });
    return find('ok', `${host} takes tokens of PORCHLIGHT_SSO_SECRET`);
  } catch (error) {
    if (error instanceof AgentMissing) return find('note', `${host} need not be told who is signed in`);
    const { code } = toHelperError(error);
    if (code !== 'agent-refused' && code !== 'bad-request')
      return find('note', `${host} could not be asked whether it takes the tokens (${code})`);
    const said = told.agentCode ?? told.status ?? code;
    return find(
      'wrong',
      `${host} does not take tokens of PORCHLIGHT_SSO_SECRET (${said}): is it the secret of the agent’s own settings?`,
    );
  }
}

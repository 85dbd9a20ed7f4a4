/** The workspace area of the agent's API: makes the file space that conversations are pinned to. */
import { HelperError } from '../errors.ts';
import { asObject, asString } from './frame.ts';
import type { AgentHttp } from './http.ts';

/** @returns the uuid of a new workspace. @throws HelperError */
export async function createAgentWorkspace(http: AgentHttp, name: string): Promise<string> {
  const reply = asObject(await http.call('POST', '/v1/bot/workspace/create', { body: { name } }));
  const data = asObject(reply?.data);
  for (const place of [asObject(reply?.workspace), asObject(data?.workspace), data, reply]) {
    const uuid = asString(place?.uuid) ?? asString(place?.workspace_uuid);
    if (uuid) return uuid;
  }
  throw new HelperError('agent-unavailable');
}

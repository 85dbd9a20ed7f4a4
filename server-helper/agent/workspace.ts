/** The workspace area of the agent's API: makes and deletes the file spaces that conversations are pinned to. */
import { HelperError } from '../errors.ts';
import { isGone } from './failure.ts';
import type { AgentHttp } from './http.ts';
import { asObject, asString } from './json.ts';

export type AgentWorkspaces = {
  /** @returns the uuid of a new workspace. @throws HelperError */
  create(name: string): Promise<string>;
  /** One that is not there is deleted already. */
  delete(uuid: string): Promise<void>;
};

export function createAgentWorkspaces(http: AgentHttp): AgentWorkspaces {
  return {
    async create(name) {
      // Made for visitors: it must not count against the workspaces that the site owner makes by hand.
      const body = { name, purpose: 'service' };
      return requireUuid(await http.call('POST', '/v1/bot/workspace/create', { body }));
    },
    async delete(uuid) {
      try {
        await http.call('DELETE', '/v1/bot/workspace/delete', { query: { workspace_uuid: uuid } });
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    },
  };
}

function requireUuid(value: unknown): string {
  const reply = asObject(value);
  const data = asObject(reply?.data);
  for (const place of [asObject(reply?.workspace), asObject(data?.workspace), data, reply]) {
    const uuid = asString(place?.uuid) ?? asString(place?.workspace_uuid);
    if (uuid) return uuid;
  }
  throw new HelperError('agent-unavailable');
}

/** An agent service in memory that has read the small shop, with a clock of the test's own. */

import { type AgentServiceOptions, createAgentService } from '../../demo/agent/service.ts';
import { createAgentClient } from './agentclient.ts';
import { startShop } from './agentshop.ts';

export const target = { apiKey: 'owner-key', projectId: 'shop', botId: 'juniper' };

export async function startShopAgent(options: Partial<AgentServiceOptions> = {}) {
  const shop = await startShop();
  const clock = { now: Date.parse('2031-03-01T12:00:00Z') };
  const service = createAgentService({
    ...target,
    db: ':memory:',
    wordsPerSecond: 0,
    tools: shop.tools,
    now: () => clock.now,
    ...options,
  });
  const client = createAgentClient('http://agent.test', target, service.fetch);
  const created = await client.call('POST', '/v1/bot/source/create', { type: 'website', source: shop.url });
  await service.idle();
  return {
    shop,
    clock,
    service,
    client,
    sourceId: created.body.source.uuid as string,
    clientOf: (apiKey: string) =>
      createAgentClient('http://agent.test', { ...target, apiKey }, service.fetch),
    async close() {
      await service.close();
      await shop.close();
    },
  };
}

export type ShopAgent = Awaited<ReturnType<typeof startShopAgent>>;

/** A sleep that waits until the test opens it. */
export function createGate() {
  let isOpen = false;
  const waiting = new Set<() => void>();
  return {
    sleep: (_ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (isOpen) return resolve();
        waiting.add(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    open() {
      isOpen = true;
      for (const resolve of waiting) resolve();
    },
  };
}

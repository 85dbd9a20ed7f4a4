/** A fake agent and a helper process that relays to it. */
import { afterAll } from 'vitest';
import { startFakeAgent } from './fake-agent.ts';
import { type HelperOptions, startHelper } from './helper-process.ts';
import { createVisitor } from './visitor.ts';

export type Rig = Awaited<ReturnType<typeof startRig>>;

export async function startRig(options: Omit<HelperOptions, 'agentUrl'> = {}) {
  const agent = await startFakeAgent();
  const helper = await startHelper({ agentUrl: agent.url, ...options });
  return {
    agent,
    helper,
    /** Of nobody in particular, or of whom the body of `POST /session` names. */
    visit: (body?: object) => createVisitor(helper, body),
    async close() {
      await agent.close();
      await helper.close();
    },
  };
}

/** The rig of a test file, closed after its last test, and a visitor there. */
export async function useRig(options?: Parameters<typeof startRig>[0]) {
  const rig = await startRig(options);
  afterAll(() => rig.close());
  return { rig, visitor: await rig.visit() };
}

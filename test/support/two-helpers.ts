/** Two helper processes on one SQLite file, before one fake agent, for a test file. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type FakeAgent, startFakeAgent } from './fake-agent.ts';
import { type RunningHelper, startHelper } from './helper-process.ts';
import { Visitor } from './visitor.ts';

/** All are there from the file's first test on. */
export type TwoHelpers = {
  readonly agent: FakeAgent;
  readonly one: RunningHelper;
  readonly two: RunningHelper;
  /** Of the store that they share. */
  readonly file: string;
  /** One more on the same file. */
  startThird(): Promise<RunningHelper>;
};

export function setUpTwoHelpers(): TwoHelpers {
  let agent: FakeAgent;
  let folder: string;
  let helpers: RunningHelper[];
  const toFile = () => join(folder, 'store.db');
  const start = () =>
    startHelper({
      agentUrl: agent.url,
      env: { PORCHLIGHT_STORE: `sqlite:${toFile()}` },
    });
  beforeAll(async () => {
    agent = await startFakeAgent();
    folder = await mkdtemp(join(tmpdir(), 'porchlight-'));
    helpers = await Promise.all([start(), start()]);
  });
  afterAll(async () => {
    await agent.close();
    for (const helper of helpers) await helper.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get agent() {
      return agent;
    },
    get one() {
      return helpers[0] as RunningHelper;
    },
    get two() {
      return helpers[1] as RunningHelper;
    },
    get file() {
      return toFile();
    },
    startThird: start,
  };
}

/** The same visitor at another helper. */
export function at(helper: RunningHelper, { session, reply }: Visitor): Visitor {
  return new Visitor(helper, session, reply);
}

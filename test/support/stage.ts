/** The set-up that browser tests share: a server and a browser for a file, and for each test a visitor on a page. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type Chat, launchBrowser, visit } from './browser.ts';

const startMs = 60_000;

export type Stage<S> = { server: S; browser: Browser };

/** @param start of the demo, or of a helper whose answers the test makes up */
export function useStage<S extends { stop(): Promise<void> }>(start: () => Promise<S>): Stage<S> {
  const stage = {} as Stage<S>;
  beforeAll(async () => {
    [stage.server, stage.browser] = await Promise.all([start(), launchBrowser()]);
  }, startMs);
  afterAll(async () => {
    await stage.browser?.close();
    await stage.server?.stop();
  });
  return stage;
}

export type Scene = { context: BrowserContext; page: Page; chat: Chat };

/** Before each test a visitor of its own comes to this page; in normal style the chat is opened. */
export function useVisitor<S>(
  stage: Stage<S>,
  toUrl: (server: S) => string,
  options?: BrowserContextOptions,
): Scene {
  const scene = {} as Scene;
  beforeEach(async () => {
    Object.assign(scene, await visit(stage.browser, toUrl(stage.server), options));
    await scene.chat.launcher.or(scene.chat.dock).waitFor();
    if (await scene.chat.launcher.count()) await scene.chat.open();
  });
  afterEach(() => scene.context?.close());
  return scene;
}

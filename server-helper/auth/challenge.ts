/** The site's own check of a guest, before the first question: whoever passes is not asked again. */
import { HelperError, toCauseCode } from '../errors.ts';
import type { Log } from '../log.ts';
import type { PageContext } from '../protocol/wire.ts';
import { type Store, toOwnerKeys } from '../store/store.ts';
import { within } from '../within.ts';
import type { Session } from './session.ts';

/** What a challenge is asked of a guest. */
export type ChallengeAbout = {
  /** `challenge` of what the page has said with `setContext`: undefined where it is no string, or absent. */
  response: string | undefined;
  /** Aborts after 10 s. */
  signal: AbortSignal;
};

/** @returns true where the guest may ask */
export type Challenge = (about: ChallengeAbout) => boolean | Promise<boolean>;

export type Challenges = {
  /** @throws HelperError `challenge-failed` for a guest who has not passed */
  require(session: Session, page: PageContext | undefined): Promise<void>;
};

const answerWithinMs = 10_000;
const dayMs = 24 * 3600_000;

type Deps = {
  challenge: Challenge | undefined;
  botId: string;
  retentionDays: number;
  log: Log;
  store: Pick<Store, 'recall' | 'replace'>;
  isDue: (key: string) => boolean;
};

export function createChallenges({ challenge, botId, retentionDays, log, store, isDue }: Deps): Challenges {
  /** By owner and response: two questions at once are one challenge, whose response is good once. */
  const asked = new Map<string, Promise<boolean>>();

  async function ask(check: Challenge, response: string | undefined) {
    const over = new AbortController();
    try {
      const answer = Promise.resolve(check({ response, signal: over.signal }));
      return (await within(answer, answerWithinMs)) === true;
    } catch (error) {
      if (isDue('challenge')) log.error({ cause: toCauseCode(error) }, 'the challenge gave no answer');
      return false;
    } finally {
      over.abort();
    }
  }

  async function pass(check: Challenge, owner: string, response: string | undefined) {
    const key = toOwnerKeys(owner, botId).challenge;
    if ((await store.recall(key)) !== undefined) return true;
    if (!(await ask(check, response))) return false;
    // The response is spent by now: where it cannot be noted, the next question is asked for another.
    await store.replace(key, 'passed', retentionDays * dayMs).catch(() => {});
    return true;
  }

  return {
    async require({ owner, visitor }, page) {
      if (!challenge || visitor.kind !== 'anonymous') return;
      const told = page?.context?.challenge;
      const response = typeof told === 'string' ? told : undefined;
      const key = JSON.stringify([owner, response]);
      let passing = asked.get(key);
      if (!passing) {
        passing = pass(challenge, owner, response).finally(() => asked.delete(key));
        asked.set(key, passing);
      }
      if (!(await passing)) throw new HelperError('challenge-failed');
    },
  };
}

/** What the agent is told of the page: not the response to a challenge, which is no matter of its own. */
export function withoutChallenge(page: PageContext | undefined): PageContext | undefined {
  if (page?.context?.challenge === undefined) return page;
  const { challenge: _, ...context } = page.context;
  return { ...page, context };
}

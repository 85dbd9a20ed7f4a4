/** The agent area of its API: how it presents itself, and whom it knows. */
import { HelperError } from '../errors.ts';
import type { AgentProfile } from '../protocol/wire.ts';
import { AgentMissing } from './failure.ts';
import type { AgentHttp } from './http.ts';
import { asObject, asString } from './json.ts';

export type AgentBot = {
  /** Kept for five minutes; a failure gives what was known, or plain defaults, never an error. */
  readProfile(): Promise<AgentProfile>;
  /** @throws HelperError when the agent cannot be asked */
  check(): Promise<void>;
  /** Tells the agent who is there. Undefined: this deployment does not want to know, or cannot be told now. */
  introduce(ssoToken: string): Promise<{ memberId: string | undefined; member: boolean } | undefined>;
};

const profileTtlMs = 5 * 60_000;
const retryAfterFailureMs = 10_000;
const profileTimeoutMs = 3_000;
/** A deployment that does not want to know may be another one after an update. */
const silentAfterMissingMs = 5 * 60_000;
/** So long an answer to any call stands for one to a probe: the agent counts its calls. */
const aliveMs = 4_000;
/** So long it is enough that somebody answers there: a plan may have a thousand calls a day, and a probe comes every ten seconds. */
const servesMs = 5 * 60_000;
const mostLimitedMs = 60_000;

const plain: AgentProfile = {
  name: 'Assistant',
  placeholder: 'Ask a question',
  greetings: [],
  starters: [],
};

/** @param nowMs monotonic */
export function createAgentBot(http: AgentHttp, nowMs = () => performance.now()): AgentBot {
  let profile = plain;
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  let limitedUntilMs = Number.NEGATIVE_INFINITY;
  let introducesFromMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  const read = async () => {
    const reply = asObject(await http.call('GET', '/v1/bot/read', { timeoutMs: profileTimeoutMs }));
    profile = readProfile(asObject(reply?.bot) ?? asObject(reply?.data) ?? reply ?? {});
    freshUntilMs = nowMs() + profileTtlMs;
  };
  const refresh = async () => {
    try {
      await read();
    } catch {
      freshUntilMs = nowMs() + retryAfterFailureMs;
    } finally {
      reading = undefined;
    }
  };

  return {
    async readProfile() {
      if (nowMs() >= freshUntilMs) {
        reading ??= refresh();
        await reading;
      }
      return profile;
    },
    async check() {
      const servedMs = nowMs() - http.aliveAt;
      if (nowMs() < limitedUntilMs || servedMs < aliveMs) return;
      if (servedMs < servesMs) return http.touch('/v1/bot/read', profileTimeoutMs);
      await read().catch((error: unknown) => {
        if (!(error instanceof HelperError && error.code === 'rate-limited')) throw error;
        // It is there: out of service for that, no helper would answer anybody.
        limitedUntilMs = nowMs() + Math.min(mostLimitedMs, error.retryAfterMs ?? 0);
      });
    },
    async introduce(token) {
      if (nowMs() < introducesFromMs) return undefined;
      try {
        const reply = asObject(
          await http.call('POST', '/v1/bot/widget/sso', { body: { token }, timeoutMs: profileTimeoutMs }),
        );
        return { memberId: asString(reply?.member_id), member: reply?.project_member === true };
      } catch (error) {
        if (error instanceof AgentMissing) introducesFromMs = nowMs() + silentAfterMissingMs;
        // An agent that cannot be told now is no reason to keep a visitor out.
        return undefined;
      }
    },
  };
}

function readProfile(bot: Record<string, unknown>): AgentProfile {
  const branding = asObject(bot.branding) ?? {};
  const text = (value: unknown, max: number) => asString(value)?.trim().slice(0, max) || undefined;
  const texts = (value: unknown, most: number) =>
    (Array.isArray(value) ? value : []).flatMap((one) => text(one, 200) ?? []).slice(0, most);
  const color = (value: unknown) => asString(value)?.match(/^#[0-9a-f]{3,8}$/i)?.[0];
  const profile: AgentProfile = {
    name: text(bot.name, 80) ?? plain.name,
    placeholder: text(branding.placeholder, 120) ?? plain.placeholder,
    greetings: texts(branding.message_greetings, 4),
    starters: texts(branding.conversation_starters, 6),
  };
  const tagline = text(branding.tagline, 200);
  if (tagline) profile.tagline = tagline;
  const accent = color(branding.accent_color);
  if (accent) profile.accentColor = accent;
  const background = color(branding.background_color);
  if (background) profile.backgroundColor = background;
  if (branding.theme === 'light' || branding.theme === 'dark') profile.theme = branding.theme;
  return profile;
}

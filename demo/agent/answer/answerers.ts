/** The choice of an answerer: the configured provider, one that the caller brings, or the built-in one. */

import { createBuiltinAnswerer } from '../builtin/answerer.ts';
import { AgentError } from '../errors.ts';
import type { AgentConfig } from '../options.ts';
import type { Search } from '../retrieval/search.ts';
import type { Answerer } from './answerer.ts';
import { createProviderAnswerer } from './provider.ts';

export interface ProviderOverride {
  host?: string | undefined;
  key?: string | undefined;
  model?: string | undefined;
}

export interface Answerers {
  /** The caller's override is given only where the key's owner runs the project. `botModel`: the agent's own. */
  choose(override?: ProviderOverride, botModel?: string): Answerer;
  /** Keeps a paused turn's answerer, in memory alone. */
  hold(executionId: string, answerer: Answerer): void;
  take(executionId: string): Answerer | undefined;
}

const mostHeld = 1_000;

export function createAnswerers(config: AgentConfig, search: Search): Answerers {
  const configured = config.provider
    ? createProviderAnswerer(config.provider, search)
    : createBuiltinAnswerer(
        search,
        { wordsPerSecond: config.wordsPerSecond, sleep: config.sleep },
        config.synonyms,
      );
  const held = new Map<string, Answerer>();
  return {
    hold(executionId, answerer) {
      held.set(executionId, answerer);
      // A pause that nobody decides is forgotten when there are many later ones.
      if (held.size > mostHeld) held.delete(held.keys().next().value!);
    },
    take(executionId) {
      const answerer = held.get(executionId);
      held.delete(executionId);
      return answerer;
    },
    choose(override = {}, botModel) {
      // A key of the caller's goes to the host the caller names, or to the configured one; ours only to ours.
      const host = override.host ?? (override.key === undefined ? undefined : config.provider?.host);
      if (override.key !== undefined && host === undefined)
        throw new AgentError(400, 'invalid_parameters', 'provider_key: a provider_host is needed with it.');
      if (host === undefined)
        return config.provider && botModel !== undefined
          ? createProviderAnswerer({ ...config.provider, model: botModel }, search)
          : configured;
      if (!/^https?:$/.test(URL.canParse(host) ? new URL(host).protocol : ''))
        throw new AgentError(400, 'invalid_parameters', 'provider_host: an http or https URL is needed.');
      const model = override.model ?? botModel ?? config.provider?.model;
      if (model === undefined)
        throw new AgentError(400, 'invalid_parameters', 'model: needed with provider_host.');
      return createProviderAnswerer(
        { host, model, ...(override.key === undefined ? {} : { key: override.key }) },
        search,
      );
    },
  };
}

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
  /** The caller's override is given only where the key's owner runs the project. */
  choose(override?: ProviderOverride): Answerer;
}

export function createAnswerers(config: AgentConfig, search: Search): Answerers {
  const configured = config.provider
    ? createProviderAnswerer(config.provider, search)
    : createBuiltinAnswerer(search, { wordsPerSecond: config.wordsPerSecond, sleep: config.sleep });
  return {
    choose(override = {}) {
      // A key of the caller's goes to the host the caller names, or to the configured one; ours only to ours.
      const host = override.host ?? (override.key === undefined ? undefined : config.provider?.host);
      if (host === undefined) return configured;
      if (!/^https?:$/.test(URL.canParse(host) ? new URL(host).protocol : ''))
        throw new AgentError(400, 'invalid_parameters', 'provider_host: an http or https URL is needed.');
      const model = override.model ?? config.provider?.model;
      if (model === undefined)
        throw new AgentError(400, 'invalid_parameters', 'model: needed with provider_host.');
      return createProviderAnswerer(
        { host, model, ...(override.key === undefined ? {} : { key: override.key }) },
        search,
      );
    },
  };
}

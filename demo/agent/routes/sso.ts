/** POST /v1/bot/widget/sso: a visitor whom the site's backend has signed for becomes an account and a subscriber. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot } from '../access.ts';
import { toKey } from '../email/address.ts';
import { AgentError } from '../errors.ts';
import { takes, target } from '../input.ts';
import type { Parts } from '../parts.ts';
import { verifySsoToken } from '../sso.ts';
import { toWireSubscriber } from '../turns/wire.ts';

export function routeSso(app: Hono<AccessEnv>, parts: Parts) {
  const { config } = parts;
  app.post(
    '/v1/bot/widget/sso',
    takes({
      ...target,
      token: v.pipe(v.string(), v.minLength(1), v.maxLength(8192)),
    }),
    async (c) => {
      const caller = c.get('caller');
      const input = c.get('input');
      const bot = requireBot(parts, caller, input);
      if (config.ssoSecrets.length === 0)
        throw new AgentError(404, 'sso_not_configured', 'This agent has no SSO secret.');
      const person = await verifySsoToken(input.token, config.ssoSecrets, bot.uuid, config.now);
      const account = parts.accounts.join(caller.projectId, person);
      const { subscriber, isNew } = parts.subscribers.join(bot.uuid, account);
      if (isNew) parts.events.record('subscriber.joined', { subscriber_id: subscriber.id });
      return c.json({
        member_id: account.uuid,
        subscriber: toWireSubscriber(subscriber),
        project_member: config.memberEmails.includes(toKey(person.email)),
      });
    },
  );
}

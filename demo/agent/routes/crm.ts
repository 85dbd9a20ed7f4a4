/** Custom fields and pipeline stages: what is left of a suite that was retired, and may be switched off. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot, requireStaff } from '../access.ts';
import { AgentError } from '../errors.ts';
import { flag, takes, target, toSent } from '../input.ts';
import type { Parts } from '../parts.ts';

const name = v.pipe(v.string(), v.minLength(1), v.maxLength(100));
const options = v.optional(
  v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(200))), v.maxLength(100)),
);
/** Two names for one thing: the first counts. */
const isRequired = { required: v.optional(flag), is_required: v.optional(flag) };

export function routeCrm(app: Hono<AccessEnv>, parts: Parts) {
  const { crm, config } = parts;
  app.use('/v1/bot/crm/*', (_, next) => {
    if (!config.crm) throw new AgentError(410, 'crm_retired', 'The CRM suite was retired in August 2026.');
    return next();
  });

  app.post('/v1/bot/crm/fields', takes({ ...target, label: name, options, ...isRequired }), async (c) => {
    const input = c.get('input');
    const bot = requireBot(parts, c.get('caller'), input);
    requireStaff(c.get('caller'));
    const field = crm.createField(bot.uuid, {
      label: input.label,
      options: input.options ?? [],
      required: input.required ?? input.is_required ?? false,
    });
    return c.json({ field }, 201);
  });

  app.put(
    '/v1/bot/crm/fields/:field_id',
    takes({ ...target, label: v.optional(name), options, ...isRequired }),
    async (c) => {
      const input = c.get('input');
      const bot = requireBot(parts, c.get('caller'), input);
      requireStaff(c.get('caller'));
      const changes = toSent({
        label: input.label,
        options: input.options,
        required: input.required ?? input.is_required,
      });
      const field = crm.updateField(bot.uuid, c.req.param('field_id'), changes);
      if (!field) throw new AgentError(404, 'field_not_found', 'This agent has no such field.');
      return c.json({ field });
    },
  );

  app.post(
    '/v1/bot/crm/pipelines/stages',
    takes({
      ...target,
      name,
      pipeline_id: v.optional(target.bot_id, 'default'),
      probability: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100)), 0),
    }),
    async (c) => {
      const input = c.get('input');
      const bot = requireBot(parts, c.get('caller'), input);
      requireStaff(c.get('caller'));
      return c.json({ stage: crm.createStage(bot.uuid, input.pipeline_id, input) }, 201);
    },
  );
}

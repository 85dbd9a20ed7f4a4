/** E-mails of an agent: its address and settings, what came and went, replies. For staff. */

import type { Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot, requireStaff } from '../access.ts';
import { addressOf } from '../email/address.ts';
import { requireMailer } from '../email/mailer.ts';
import { replyTo } from '../email/outbound.ts';
import { AgentError } from '../errors.ts';
import { flag, paging, takes, target, toSent } from '../input.ts';
import { readPage, toPagination } from '../paging.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import { directions, type Email, type EmailCounts, emailStates } from '../store/emails.ts';
import { dayMs, toIso } from '../time.ts';

const emailsPerPage = 50;
const ranges = { '7d': 7, '30d': 30, '90d': 90 } as const;

export function routeEmails(app: Hono<AccessEnv>, parts: Parts) {
  const { emails, bots, mailer, config } = parts;
  const ofEmail = { ...target, email_id: v.pipe(v.string(), v.minLength(1), v.maxLength(200)) };
  const requireEmail = (bot: Bot, uuid: string): Email => {
    const email = emails.find(bot.uuid, uuid);
    if (!email) throw new AgentError(404, 'email_not_found', 'This agent has no such e-mail.');
    return email;
  };

  app.get('/v1/bot/email/address', takes(target), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireStaff(c.get('caller'));
    return c.json({ address: addressOf(bot, config.email.domain), settings: toWireSettings(bot) });
  });

  const settings = {
    email_enabled: v.optional(flag),
    email_auto_reply: v.optional(flag),
    email_notifications: v.optional(flag),
  };
  app.put('/v1/bot/email/settings', takes({ ...target, ...settings }), async (c) => {
    const { project_id, bot_id, ...changes } = c.get('input');
    const bot = requireBot(parts, c.get('caller'), { project_id, bot_id });
    requireStaff(c.get('caller'));
    return c.json({ settings: toWireSettings(bots.update(bot, toSent(changes))) });
  });

  app.get(
    '/v1/bot/email/readall',
    takes({
      ...target,
      ...paging,
      direction: v.optional(v.picklist(directions)),
      status: v.optional(v.picklist(emailStates)),
    }),
    async (c) => {
      const { direction = null, status = null, ...input } = c.get('input');
      const bot = requireBot(parts, c.get('caller'), input);
      requireStaff(c.get('caller'));
      const page = readPage(input, emailsPerPage);
      const { emails: found, total } = emails.list(bot.uuid, { direction, status }, page);
      return c.json({ total, emails: found.map(toWireEmail), pagination: toPagination(page, total) });
    },
  );

  app.get('/v1/bot/email/read', takes(ofEmail), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireStaff(c.get('caller'));
    return c.json({ email: toWireEmail(requireEmail(bot, c.get('input').email_id)) });
  });

  app.post(
    '/v1/bot/email/reply',
    takes({
      ...ofEmail,
      content: v.pipe(v.string(), v.regex(/\S/, 'words are needed'), v.maxLength(50_000)),
    }),
    async (c) => {
      const { email_id, content, ...input } = c.get('input');
      const bot = requireBot(parts, c.get('caller'), input);
      requireStaff(c.get('caller'));
      const email = requireEmail(bot, email_id);
      if (email.direction !== 'inbound')
        throw new AgentError(400, 'invalid_parameters', 'email_id: one that came in is needed.');
      requireMailer(mailer);
      return c.json({ email: toWireEmail(await replyTo(parts, bot, email, content)) }, 201);
    },
  );

  app.delete('/v1/bot/email/delete', takes(ofEmail), async (c) => {
    const bot = requireBot(parts, c.get('caller'), c.get('input'));
    requireStaff(c.get('caller'));
    emails.delete(requireEmail(bot, c.get('input').email_id).id);
    return c.json({ success: true, message: 'The e-mail was deleted.' });
  });

  app.get(
    '/v1/bot/email/stats',
    takes({
      ...target,
      timeRange: v.optional(v.picklist(Object.keys(ranges) as (keyof typeof ranges)[]), '30d'),
      includeTimeSeries: v.optional(flag, false),
    }),
    async (c) => {
      const { timeRange, includeTimeSeries, ...input } = c.get('input');
      const bot = requireBot(parts, c.get('caller'), input);
      requireStaff(c.get('caller'));
      const days = emails.countByDay(bot.uuid, config.now() - ranges[timeRange] * dayMs);
      const sum = (name: keyof EmailCounts) => days.reduce((total, day) => total + day[name], 0);
      const [inbound, outbound] = [sum('inbound'), sum('outbound')];
      return c.json({
        stats: {
          total: inbound + outbound,
          inbound,
          outbound,
          replied: sum('replied'),
          failed: sum('failed'),
          time_series: includeTimeSeries
            ? days.map((day) => ({ date: day.date, inbound: day.inbound, outbound: day.outbound }))
            : [],
        },
      });
    },
  );
}

function toWireSettings({ email_enabled, email_auto_reply, email_notifications }: Bot) {
  return { email_enabled, email_auto_reply, email_notifications };
}

function toWireEmail(email: Email) {
  const { uuid, direction, from_address, to_address, subject, text_body, status, in_reply_to } = email;
  return {
    ...{ uuid, direction, from_address, to_address, subject, text_body, status, in_reply_to },
    created_at: toIso(email.created_at),
    updated_at: toIso(email.updated_at),
  };
}

/** The nine statistics: stats/*. */

import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import { type AccessEnv, requireBot, requireStaff } from '../access.ts';
import { takes, target } from '../input.ts';
import type { Parts } from '../parts.ts';
import { allTime } from '../store/statistics.ts';
import { isRealDay } from '../tasks/zone.ts';
import { dayMs } from '../time.ts';

const isDate = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text);
/** Without one it is UTC. */
const hasZone = /(Z|[+-]\d{2}:?\d{2})$/;
const needed = 'a date or a date-time is needed';
/** @param dateAdds to the first ms of a day */
const time = (dateAdds: number) =>
  v.optional(
    v.pipe(
      v.string(needed),
      v.trim(),
      v.check((text) => isRealTime(text), needed),
      v.transform((text) =>
        isDate(text) ? Date.parse(text) + dateAdds : Date.parse(hasZone.test(text) ? text : `${text}Z`),
      ),
    ),
  );
const input = { ...target, from: time(0), to: time(dayMs - 1) };

function isRealTime(text: string): boolean {
  const [, day] =
    /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/.exec(text) ?? [];
  return day !== undefined && !Number.isNaN(Date.parse(text)) && isRealDay(day);
}

export function routeStats(app: Hono<AccessEnv>, parts: Parts) {
  for (const [name, count] of parts.reports)
    app.get(`/v1/bot/stats/${name}`, takes(input), (c: Context) => {
      const { from, to, ...of } = c.get('input');
      const bot = requireBot(parts, c.get('caller'), of);
      requireStaff(c.get('caller'));
      const range = { from: from ?? allTime.from, to: to ?? allTime.to };
      return c.json(count(bot, range, from !== undefined));
    });
}

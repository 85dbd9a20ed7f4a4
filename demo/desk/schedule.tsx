/** When something is to run by itself: six kinds of schedule as fields of a form. */

import { useId, useState } from 'preact/hooks';
import type { Answer } from './api.ts';
import { type Kept, useKept } from './kept.ts';

const kinds = {
  once: 'Once',
  interval: 'Every so many minutes',
  daily: 'Each day',
  weekly: 'Each week',
  monthly: 'Each month',
  cron: 'By a cron pattern',
} as const;
type Kind = keyof typeof kinds;
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const zones = Intl.supportedValuesOf('timeZone');
const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * @param of what runs by one already
 * @param kept of the form around it, where this may give way as a whole
 */
export function Schedule({ of, kept: given }: { of?: Answer; kept?: Kept }) {
  const zonesId = useId();
  const own = useKept();
  const { keep, text } = given ?? own;
  const [kind, setKind] = useState<Kind>((text('schedule_type') as Kind) ?? of?.schedule_type ?? 'weekly');
  const config = of?.schedule_type === kind ? of.schedule_config : {};
  const time = (
    <label>
      At <input type="time" name="time" required defaultValue={text('time') ?? config.time ?? '09:00'} />
    </label>
  );
  return (
    <fieldset>
      <legend>When</legend>
      <label>
        How often
        <select
          name="schedule_type"
          value={kind}
          onChange={(event) => {
            keep(event.currentTarget.form);
            setKind(event.currentTarget.value as Kind);
          }}
        >
          {Object.entries(kinds).map(([one, label]) => (
            <option key={one} value={one}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {kind === 'once' && (
        <label>
          At
          <input
            type="datetime-local"
            name="scheduled_at"
            required
            defaultValue={
              text('scheduled_at') ?? (config.scheduled_at && toWall(config.scheduled_at, of.timezone))
            }
          />
        </label>
      )}
      {kind === 'interval' && (
        <label>
          Minutes
          <input
            type="number"
            name="interval_minutes"
            required
            min={0}
            step="any"
            defaultValue={text('interval_minutes') ?? config.interval_minutes ?? 60}
          />
        </label>
      )}
      {kind === 'weekly' && (
        <label>
          On
          <select name="day">
            {days.map((day, index) => (
              <option
                key={day}
                value={index + 1}
                selected={index + 1 === Number(text('day') ?? config.day ?? 1)}
              >
                {day}
              </option>
            ))}
          </select>
        </label>
      )}
      {kind === 'monthly' && (
        <label>
          On day (in a shorter month on its last)
          <input
            type="number"
            name="day_of_month"
            required
            min={1}
            max={31}
            defaultValue={text('day_of_month') ?? config.day_of_month ?? 1}
          />
        </label>
      )}
      {(kind === 'daily' || kind === 'weekly' || kind === 'monthly') && time}
      {kind === 'cron' && (
        <label>
          Cron pattern (minute, hour, day, month, weekday)
          <input name="cron" required defaultValue={text('cron') ?? config.cron ?? '0 9 * * 1'} />
        </label>
      )}
      <label>
        Time zone
        <input
          name="timezone"
          required
          list={zonesId}
          defaultValue={text('timezone') ?? of?.timezone ?? ownZone()}
        />
      </label>
      <datalist id={zonesId}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </fieldset>
  );
}

const numbers = ['interval_minutes', 'day', 'day_of_month'];

/** YYYY-MM-DDTHH:MM on the clock of a zone. Written without an offset, it is so already. */
function toWall(at: string, zone: string): string {
  // Midnight at the end of a day is the beginning of the next.
  if (/t24:00/i.test(at)) {
    const next = new Date(Date.parse(`${at.slice(0, 10)}T00:00Z`) + 86_400_000).toISOString();
    return toWall(`${next.slice(0, 10)}T00${at.slice(13)}`, zone);
  }
  const [, hours, minutes = '00'] = /([+-]\d\d):?(\d\d)?$/.exec(at.slice(16)) ?? [];
  if (hours === undefined && !/z$/i.test(at)) return at.slice(0, 16);
  const instant = hours === undefined ? at : `${at.slice(0, at.lastIndexOf(hours))}${hours}:${minutes}`;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  return format.format(new Date(instant)).replace(' ', 'T');
}

/** @param before what is changed: a moment that nobody touched stays as it was written. @returns as the API takes it */
export function readSchedule(fields: Record<string, string>, before?: Answer) {
  const names = ['scheduled_at', 'interval_minutes', 'day', 'day_of_month', 'time', 'cron'];
  const config = names
    .filter((name) => fields[name] !== undefined)
    .map((name) => [name, numbers.includes(name) ? Number(fields[name]) : fields[name]]);
  const { schedule_type, timezone } = fields;
  const schedule_config = Object.fromEntries(config);
  const was = before?.schedule_type === 'once' && before.timezone === timezone && before.schedule_config;
  if (was && toWall(was.scheduled_at, before.timezone) === schedule_config.scheduled_at)
    schedule_config.scheduled_at = was.scheduled_at;
  return { schedule_type, schedule_config, timezone };
}

/** In words, as a list says it. */
export function toWhen({ schedule_type: kind, schedule_config: config, timezone }: Answer): string {
  if (kind === 'once') return `once, ${toWall(config.scheduled_at, timezone).replace('T', ' ')}`;
  if (kind === 'interval') return `every ${config.interval_minutes} minutes`;
  if (kind === 'cron') return config.cron;
  if (kind === 'weekly') return `${days[config.day - 1]}s at ${config.time}`;
  if (kind === 'monthly') return `day ${config.day_of_month} of the month at ${config.time}`;
  return `daily at ${config.time}`;
}

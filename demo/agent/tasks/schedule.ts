/** When a task runs: six kinds of schedule, on the wall clock of a time zone. */

import { isDeepStrictEqual } from 'node:util';
import { Cron } from 'croner';
import { AgentError } from '../errors.ts';
import { dayMs, minuteMs } from '../time.ts';
import { isRealDay, isZone, toEarliestWall, toInstant, toWall } from './zone.ts';

export const scheduleTypes = ['once', 'interval', 'daily', 'weekly', 'monthly', 'cron'] as const;
export type ScheduleType = (typeof scheduleTypes)[number];

/** Of each kind its own keys, and no others. */
export interface ScheduleConfig {
  /** ISO 8601; without an offset it is the wall time of the zone. */
  scheduled_at?: string;
  interval_minutes?: number;
  /** HH:MM. */
  time?: string;
  /** 1 is Monday. */
  day?: number;
  /** In a shorter month its last day. */
  day_of_month?: number;
  /** Five fields. */
  cron?: string;
}

export interface Schedule {
  schedule_type: ScheduleType;
  schedule_config: ScheduleConfig;
  /** IANA. */
  timezone: string;
}

/** Stars, lists, ranges, steps, names: what else the library knows is no part of this. */
const fiveFields = /^([\d*,/-]+ ){3}([\d*,/-]|[a-z]{3})+ ([\d*,/-]|[a-z]{3})+$/i;
const maxCronLength = 200;
/** Of a cron whose days may be too close, so many are looked at. */
const comparedDays = 400;

/** The first slot after an instant, in ms since 1970. @param anchor from which intervals count */
export function nextSlot(schedule: Schedule, after: number, anchor: number): number | undefined {
  const { schedule_type: type, schedule_config: config, timezone } = schedule;
  if (type === 'once') {
    const at = toScheduledAt(config.scheduled_at!, timezone)!;
    return at > after ? at : undefined;
  }
  if (type === 'interval') {
    const every = config.interval_minutes! * minuteMs;
    return Math.round(anchor + every * (Math.floor((after - anchor) / every) + 1));
  }
  const nextWall = type === 'monthly' ? monthly(config) : fromCron(toCron(type, config));
  let best: number | undefined;
  let wall = nextWall(toEarliestWall(after, timezone) - 1);
  while (wall !== undefined) {
    const { at, isJumped } = toInstant(wall, timezone);
    if (at > after && (best === undefined || at < best)) best = at;
    // After a wall time that was jumped over, a later one may come first.
    if (best !== undefined && !(isJumped && wall < toWall(best, timezone))) return best;
    wall = nextWall(wall);
  }
  return best;
}

/** @returns of a wall time the next of the schedule */
type NextWall = (wall: number) => number | undefined;

function fromCron(pattern: string): NextWall {
  const cron = new Cron(pattern, { timezone: 'UTC', mode: '5-part' });
  return (wall) => cron.nextRun(new Date(wall))?.getTime();
}

function toCron(type: ScheduleType, { cron, time, day }: ScheduleConfig): string {
  if (type === 'cron') return cron!;
  const [hour, minute] = time!.split(':').map(Number);
  return `${minute} ${hour} * * ${type === 'weekly' ? day! % 7 : '*'}`;
}

function monthly({ day_of_month: wanted, time }: ScheduleConfig): NextWall {
  const [hour, minute] = time!.split(':').map(Number);
  const inMonth = (year: number, month: number) => {
    const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    return Date.UTC(year, month, Math.min(wanted!, days), hour, minute);
  };
  return (wall) => {
    const date = new Date(wall);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    const now = inMonth(year, month);
    return now > wall ? now : inMonth(year, month + 1);
  };
}

export function isSameSchedule(one: Schedule, other: Schedule): boolean {
  const toParts = ({ schedule_type, schedule_config, timezone }: Schedule) => [
    schedule_type,
    schedule_config,
    timezone,
  ];
  return isDeepStrictEqual(toParts(one), toParts(other));
}

/** Whether it may run then: the start belongs to the hours, the end does not. */
export function isActive(at: number, start: string | null, end: string | null, zone: string): boolean {
  if (start === null || end === null || start === end) return true;
  const now = new Date(toWall(at, zone)).toISOString().slice(11, 16);
  return start < end ? start <= now && now < end : start <= now || now < end;
}

/** HH:MM of 24 hours. */
export const timePattern = /^([01]\d|2[0-3]):[0-5]\d$/;
export const isTime = (text: unknown): text is string => typeof text === 'string' && timePattern.test(text);

/** 400 `invalid_schedule`, `schedule_too_frequent`, or `invalid_parameters` for the time zone. @returns the config with its own keys alone */
export function readSchedule(
  { schedule_type: type, schedule_config: config, timezone }: Schedule,
  now: number,
  minIntervalSeconds: number,
): Schedule {
  if (!isZone(timezone))
    throw new AgentError(400, 'invalid_parameters', 'timezone: a name of the IANA database is needed.');
  const read = { schedule_type: type, schedule_config: readConfig(type, config, timezone), timezone };
  const minMs = minIntervalSeconds * 1000;
  if (type === 'interval' && read.schedule_config.interval_minutes! * minuteMs < minMs)
    refuseFrequent(minIntervalSeconds);
  if (type === 'cron' && isCloserThan(minMs, read.schedule_config.cron!)) refuseFrequent(minIntervalSeconds);
  if (nextSlot(read, now, now) === undefined)
    refuse(type === 'once' ? 'scheduled_at: a time in the future is needed' : 'cron: it never comes');
  return read;
}

function readConfig(type: ScheduleType, config: ScheduleConfig, zone: string): ScheduleConfig {
  if (type === 'once') {
    const at = config.scheduled_at;
    if (typeof at !== 'string' || toScheduledAt(at, zone) === undefined)
      refuse('scheduled_at: an ISO 8601 date-time is needed');
    return { scheduled_at: at as string };
  }
  if (type === 'interval') {
    const { interval_minutes: every } = config;
    // A thousand years are as good as never.
    if (typeof every !== 'number' || !(every * minuteMs >= 100) || every > 525_600_000)
      refuse('interval_minutes: a number of minutes is needed, a tenth of a second or more');
    return { interval_minutes: every as number };
  }
  if (type === 'cron') return { cron: readCron(config.cron) };
  const { time } = config;
  if (!isTime(time)) refuse('time: HH:MM is needed');
  if (type === 'weekly') return { day: readWhole('day', config.day, 7), time: time as string };
  if (type === 'monthly')
    return { day_of_month: readWhole('day_of_month', config.day_of_month, 31), time: time as string };
  return { time: time as string };
}

function readWhole(name: string, value: unknown, most: number): number {
  if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > most)
    refuse(`${name}: a whole number from 1 to ${most} is needed`);
  return value as number;
}

function readCron(pattern: unknown): string {
  const text = typeof pattern === 'string' ? pattern.trim().replace(/\s+/g, ' ') : '';
  if (text.length > maxCronLength) refuse(`cron: at most ${maxCronLength} characters are needed`);
  if (!fiveFields.test(text)) refuse('cron: five fields are needed');
  try {
    fromCron(text);
  } catch {
    refuse('cron: a field is not as it should be');
  }
  return text;
}

/** Whether two runs are. All days on which it runs have the same times; from one to the next it depends on which days these are. */
function isCloserThan(ms: number, pattern: string): boolean {
  if (ms <= minuteMs) return false;
  const next = fromCron(pattern);
  const first = next(-1);
  if (first === undefined) return false;
  const endOf = (run: number) => (Math.floor(run / dayMs) + 1) * dayMs;
  let last = first;
  for (let run = next(first); run !== undefined && run < endOf(first); run = next(run)) {
    if (run - last < ms) return true;
    last = run;
  }
  const lasts = last - first;
  if (dayMs - lasts >= ms) return false;
  for (let day = first, count = 0; count < comparedDays; count += 1) {
    const run = next(endOf(day) - 1);
    if (run === undefined) return false;
    if (run - (day + lasts) < ms) return true;
    day = run;
  }
  return false;
}

const isoTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:(z)|([+-]\d\d)(?::?(\d\d))?)?$/i;

function toScheduledAt(text: string, zone: string): number | undefined {
  const found = isoTime.exec(text);
  if (!found || !isRealDay(text.slice(0, 10))) return undefined;
  const [, day, time, utc, hours, minutes = '00'] = found;
  const hasOffset = utc !== undefined || hours !== undefined;
  const at = Date.parse(`${day}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
  if (Number.isNaN(at)) return undefined;
  return hasOffset ? at : toInstant(at, zone).at;
}

function refuse(what: string): never {
  throw new AgentError(400, 'invalid_schedule', `schedule_config.${what}.`);
}

function refuseFrequent(seconds: number): never {
  throw new AgentError(
    400,
    'schedule_too_frequent',
    `schedule_config: at least ${seconds} seconds between two runs are needed.`,
  );
}

/** The nine statistics of an agent, counted from what happened in it, over all time or from one time to another. */

import type { Parts } from './parts.ts';
import type { Bot } from './store/bots.ts';
import type { Range } from './store/statistics.ts';
import { dayMs, toIso } from './time.ts';

/** @param isFromGiven else it begins with the first answer */
export type Report = (bot: Bot, range: Range, isFromGiven: boolean) => object;

const toPercent = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * 100);
const toMean = (sum: number, count: number) => (count === 0 ? 0 : sum / count);
const toDate = (day: number) => toIso(day * dayMs).slice(0, 10);

/** By name, as the API shows them. */
export function createReports({
  statistics,
  visits,
  config,
}: Pick<Parts, 'statistics' | 'visits' | 'config'>): ReadonlyMap<string, Report> {
  const reports = new Map<string, Report>();
  const report = (name: string, count: Report) => reports.set(name, count);

  const countPeople = (bot: Bot, range: Range, total_messages: number) => {
    const { chats, people } = visits.people(bot.uuid, range);
    return { total_messages, total_chats: chats, total_users: people };
  };

  /** Of all times, those that so many percent do not exceed: by nearest rank. */
  const percentiles = (bot: Bot, range: Range, turns: number, percents: number[]) =>
    turns === 0
      ? percents.map(() => 0)
      : statistics.slowest(
          bot.uuid,
          range,
          percents.map((percent) => turns - Math.ceil((percent / 100) * turns)),
        );

  report('performance', (bot, range, isFromGiven) => {
    const { turns, failed, durationMs } = statistics.totals(bot.uuid, range);
    const [p95, p99] = percentiles(bot, range, turns, [95, 99]);
    const begin = isFromGiven ? range.from : (statistics.firstTurnAt(bot.uuid, range) ?? 0);
    const seconds = Math.max(1, (Math.min(range.to, config.now()) - begin) / 1000);
    return {
      average_response_time: toMean(durationMs, turns),
      p95_response_time: p95,
      p99_response_time: p99,
      success_rate: toPercent(turns - failed, turns),
      throughput: turns / seconds,
    };
  });

  report('behavior', (bot, range) => {
    const { sessions, messages, lengthMs } = visits.sessions(bot.uuid, range);
    const { people, cameBack } = visits.returns(bot.uuid, range);
    const byHour = Array.from({ length: 24 }, (_, hour) => ({ hour, count: 0 }));
    for (const { hour, asked } of statistics.hours(bot.uuid, range)) byHour[hour % 24]!.count += asked;
    return {
      average_session_length: toMean(lengthMs / 60_000, sessions),
      messages_per_session: toMean(messages, sessions),
      return_rate: toPercent(cameBack, people),
      peak_usage_hours: byHour
        .filter(({ count }) => count > 0)
        .sort((one, other) => other.count - one.count)
        .slice(0, 3)
        .map(({ hour }) => hour),
    };
  });

  report('votes', (bot, range) => {
    const count = (type: string) =>
      new Map(
        statistics
          .countByDay('votes', bot.uuid, range, `vote_type = '${type}'`)
          .map(({ day, count }) => [day, count]),
      );
    const [up, down] = [count('upvote'), count('downvote')];
    const sum = (counts: Map<number, number>) => [...counts.values()].reduce((total, n) => total + n, 0);
    const [total_upvotes, total_downvotes] = [sum(up), sum(down)];
    return {
      total_upvotes,
      total_downvotes,
      vote_ratio: toMean(total_upvotes, total_upvotes + total_downvotes),
      votes_by_date: [...up].map(([day, upvotes]) => ({
        date: toDate(day),
        upvotes,
        downvotes: down.get(day) ?? 0,
      })),
    };
  });

  report('summary', (bot, range) => {
    const { messages, durationMs, turns } = statistics.totals(bot.uuid, range);
    return {
      ...countPeople(bot, range, messages),
      average_response_time: toMean(durationMs, turns),
    };
  });

  report('dashboard', (bot, range) => {
    const { sources, subscribers } = statistics.owned(bot.uuid);
    const byDay = new Map<number, number>();
    for (const { hour, messages } of statistics.hours(bot.uuid, range)) {
      const day = Math.floor(hour / 24);
      byDay.set(day, (byDay.get(day) ?? 0) + messages);
    }
    const messages = [...byDay].map(([day, count]) => ({ date: toDate(day), count }));
    return {
      overview: {
        ...countPeople(
          bot,
          range,
          messages.reduce((sum, { count }) => sum + count, 0),
        ),
        total_sources: sources,
        total_subscribers: subscribers,
        credits: bot.credits,
      },
      recent_activity: statistics
        .activity(bot.uuid, range)
        .map(({ type, title, at }) => ({ type, title, at: toIso(at) })),
      trends: {
        messages,
        chats: statistics
          .countByDay('chats', bot.uuid, range)
          .map(({ day, count }) => ({ date: toDate(day), count })),
      },
    };
  });

  report('tools', (bot, range) => {
    const tools = statistics.tools(bot.uuid, range);
    const calls = tools.reduce((total, tool) => total + tool.calls, 0);
    return {
      total_tool_calls: calls,
      tools_by_usage: tools.map((tool) => ({
        tool_name: tool.name,
        usage_count: tool.calls,
        success_rate: toPercent(tool.succeeded, tool.calls),
      })),
      average_execution_time: toMean(
        tools.reduce((total, tool) => total + tool.totalMs, 0),
        calls,
      ),
    };
  });

  report('errors', (bot, range) => {
    const types = statistics.errors(bot.uuid, range);
    const { turns, failed } = statistics.totals(bot.uuid, range);
    return {
      total_errors: failed,
      error_rate: toPercent(failed, turns),
      errors_by_type: types.map(({ code, count }) => ({
        error_type: code,
        count,
        percentage: toPercent(count, failed),
      })),
      recent_errors: statistics
        .recentErrors(bot.uuid, range)
        .map(({ code, message, chat_id, at }) => ({ error_type: code, message, chat_id, at: toIso(at) })),
    };
  });

  report('workflows', (bot, range) => {
    const patterns = statistics.workflows(bot.uuid, range);
    const sum = (name: 'count' | 'performed' | 'succeeded') =>
      patterns.reduce((total, one) => total + one[name], 0);
    return {
      total_workflows: sum('count'),
      completion_rate: toPercent(sum('succeeded'), sum('performed')),
      common_patterns: patterns.map(({ trigger_type, trigger_event, count }) => ({
        trigger_type,
        trigger_event,
        count,
      })),
    };
  });

  report('reasoning-summary', (bot, range) => {
    const totals = statistics.totals(bot.uuid, range);
    const { agentTurns } = totals;
    return {
      reasoning_types_used: { standard: totals.turns - agentTurns, agent: agentTurns },
      average_reasoning_steps: toMean(totals.agentSteps, agentTurns),
      average_reasoning_time: toMean(totals.agentMs, agentTurns),
      reasoning_tokens_used: totals.reasoningTokens,
    };
  });

  return reports;
}

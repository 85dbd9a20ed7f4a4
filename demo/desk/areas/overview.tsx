/** How an agent is doing: the nine statistics, and what is left of its credits. */

import { useState } from 'preact/hooks';
import type { Answer } from '../api.ts';
import { Bars, Days } from '../chart.tsx';
import { Time } from '../list.tsx';
import { useLoad } from '../load.ts';
import { Waiting } from '../parts.tsx';

const dayMs = 24 * 3_600_000;
const ranges = { '7 days': 7, '30 days': 30, '90 days': 90, 'All time': undefined } as const;
type RangeName = keyof typeof ranges;

function toDay(days: number | undefined): { from?: string } {
  if (days === undefined) return {};
  return { from: new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10) };
}

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const seconds = (ms: number) => `${fine.format(ms / 1000)} s`;
const percent = (share: number) => `${fine.format(share)} %`;
const endedWell = (share: number, isAny: boolean) =>
  ['Ended well', isAny ? percent(share) : 'none yet'] as const;

export function Overview() {
  const [range, setRange] = useState<RangeName>('30 days');
  const input = toDay(ranges[range]);
  return (
    <>
      <label class="choice">
        <span>Period</span>
        <select value={range} onChange={(event) => setRange(event.currentTarget.value as RangeName)}>
          {Object.keys(ranges).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Part of="dashboard" input={input}>
        {({ overview, trends }) => (
          <>
            <Facts
              facts={[
                ['Conversations', whole.format(overview.total_chats)],
                ['Messages', whole.format(overview.total_messages)],
                ['People', whole.format(overview.total_users)],
                ['Sources', whole.format(overview.total_sources)],
                ['Subscribers', whole.format(overview.total_subscribers)],
                ['Credits left', whole.format(overview.credits)],
              ]}
            />
            <Days
              title="Messages"
              from={input.from}
              points={trends.messages.map(({ date, count }: Answer) => [date, count])}
            />
          </>
        )}
      </Part>
      <Part of="performance" title="Answers" input={input}>
        {(one) => (
          <Facts
            facts={[
              ['Average', seconds(one.average_response_time)],
              ['95 of 100 within', seconds(one.p95_response_time)],
              ['99 of 100 within', seconds(one.p99_response_time)],
              endedWell(one.success_rate, one.average_response_time > 0),
            ]}
          />
        )}
      </Part>
      <Part of="summary" title="Together" input={input}>
        {(one) => (
          <Facts
            facts={[
              ['Messages', whole.format(one.total_messages)],
              ['Conversations', whole.format(one.total_chats)],
              ['People', whole.format(one.total_users)],
              ['Average answer', seconds(one.average_response_time)],
            ]}
          />
        )}
      </Part>
      <Part of="behavior" title="Visits" input={input}>
        {(one) => (
          <Facts
            facts={[
              ['Minutes a visit', fine.format(one.average_session_length)],
              ['Messages a visit', fine.format(one.messages_per_session)],
              ['Came back', percent(one.return_rate)],
              [
                'Busiest hours (UTC)',
                one.peak_usage_hours.map((hour: number) => `${hour}:00`).join(', ') || 'none',
              ],
            ]}
          />
        )}
      </Part>
      <Part of="votes" title="Votes" input={input}>
        {(one) => (
          <>
            <Facts
              facts={[
                ['Up', whole.format(one.total_upvotes)],
                ['Down', whole.format(one.total_downvotes)],
              ]}
            />
            <Days
              title="Upvotes"
              from={input.from}
              points={one.votes_by_date.map(({ date, upvotes }: Answer) => [date, upvotes])}
            />
            <Days
              title="Downvotes"
              from={input.from}
              points={one.votes_by_date.map(({ date, downvotes }: Answer) => [date, downvotes])}
            />
          </>
        )}
      </Part>
      <Part of="tools" title="Tools" input={input}>
        {({ tools_by_usage: tools }) => (
          <Bars
            title="Calls by tool"
            points={tools.map((tool: Answer) => [tool.tool_name, tool.usage_count])}
          />
        )}
      </Part>
      <Part of="workflows" title="Workflows" input={input}>
        {(one) => (
          <Facts
            facts={[
              ['Runs', whole.format(one.total_workflows)],
              endedWell(one.completion_rate, one.total_workflows > 0),
            ]}
          />
        )}
      </Part>
      <Part of="reasoning-summary" title="Reasoning" input={input}>
        {(one) => (
          <Facts
            facts={[
              ['In one pass', whole.format(one.reasoning_types_used.standard)],
              ['In steps', whole.format(one.reasoning_types_used.agent)],
              ['Steps each', fine.format(one.average_reasoning_steps)],
            ]}
          />
        )}
      </Part>
      <Part of="errors" title="Errors" input={input}>
        {(one) => (
          <>
            <Facts
              facts={[
                ['Errors', whole.format(one.total_errors)],
                ['Of all answers', percent(one.error_rate)],
              ]}
            />
            <ul class="plain-list">
              {one.recent_errors.map((error: Answer) => (
                <li key={`${error.at} ${error.chat_id}`}>
                  <Time at={error.at} /> <code>{error.error_type}</code> {error.message}
                </li>
              ))}
            </ul>
          </>
        )}
      </Part>
    </>
  );
}

interface PartProps {
  of: string;
  title?: string;
  input: { from?: string };
  children(data: Answer): preact.ComponentChildren;
}

function Part({ of, title, input, children }: PartProps) {
  const { data, error, isBusy, reload } = useLoad(`/v1/bot/stats/${of}`, input);
  return (
    <section class="part" aria-busy={isBusy}>
      {title && <h2>{title}</h2>}
      {(error || !data) && <Waiting error={error} reload={reload} />}
      {/* Of another time they would be taken for those of this one. */}
      {data && !error && children(data)}
    </section>
  );
}

function Facts({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

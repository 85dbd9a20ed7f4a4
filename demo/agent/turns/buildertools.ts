/** What the one who runs the site may ask its agent about it: reports, conversations, tasks. */

import * as v from 'valibot';
import { AgentError } from '../errors.ts';
import { toOwnTool } from '../owntool.ts';
import type { Parts } from '../parts.ts';
import type { Bot } from '../store/bots.ts';
import { allTime } from '../store/statistics.ts';
import { toIso, toIsoOrNull } from '../time.ts';
import type { Tool } from '../tools.ts';

const [mostFound, mostTasks] = [20, 50];
const maxShownChars = 500;

export function toBuilderTools({ messages, reports, tasks }: Parts, bot: Bot): Tool[] {
  return [
    toOwnTool(
      'search_conversations',
      'Search conversations',
      'Finds the latest messages of this agent’s conversations that hold a text.',
      { query: v.pipe(v.string(), v.trim(), v.minLength(2), v.maxLength(200)) },
      async ({ query }) => ({
        results: messages.search(bot.uuid, query, mostFound).map(({ created_at, content, ...one }) => ({
          ...one,
          content: content.slice(0, maxShownChars),
          created_at: toIso(created_at),
        })),
      }),
    ),
    toOwnTool(
      'read_report',
      'Read a report',
      `Reads one of the statistics of this agent: ${[...reports.keys()].join(', ')}.`,
      { name: v.picklist([...reports.keys()]) },
      async ({ name }) => {
        const report = reports.get(name);
        if (!report) throw new AgentError(404, 'report_not_found', 'There is no such report.');
        return report(bot, allTime, false);
      },
    ),
    toOwnTool('list_tasks', 'List tasks', 'Lists what this agent does by itself.', {}, async () => {
      const { tasks: found, total } = tasks.list(bot.uuid, { page: 1, perPage: mostTasks });
      return {
        tasks: found.map(({ uuid, name, prompt, enabled, next_run_at, last_status }) => ({
          uuid,
          name,
          prompt: prompt.slice(0, maxShownChars),
          enabled,
          next_run_at: toIsoOrNull(next_run_at),
          last_status,
        })),
        total,
      };
    }),
  ];
}

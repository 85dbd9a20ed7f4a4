/** A tool of the service's own, from the schema of what a model gives it. */

import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { AgentError } from './errors.ts';
import { withoutZero } from './text.ts';
import { builtIn, type Tool, type ToolOutcome, type ToolParameters } from './tools.ts';

/** What goes wrong is told to the model, and the turn goes on. @param more of one that somebody decides about */
export function toOwnTool<const Entries extends v.ObjectEntries>(
  name: string,
  title: string,
  description: string,
  entries: Entries,
  run: (input: v.InferOutput<v.ObjectSchema<Entries, undefined>>, signal: AbortSignal) => Promise<object>,
  more: Pick<Tool, 'isQuestion'> & Partial<Pick<Tool, 'approval'>> = {},
): Tool {
  const schema = v.object(entries);
  const { $schema: _, ...parameters } = toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'input' });
  const read = (given: ToolParameters) =>
    v.safeParse(
      schema,
      JSON.parse(JSON.stringify(given), (_name, value) => withoutZero(value)),
      {
        abortEarly: true,
      },
    );
  function refuse(given: ToolParameters): ToolOutcome | undefined {
    const { issues } = read(given);
    if (!issues) return undefined;
    const field = v.getDotPath(issues[0]) ?? 'parameters';
    return failed('invalid_parameters', `${field}: another value is needed.`);
  }
  return {
    name,
    title,
    description,
    approval: 'auto',
    parameters: parameters as Record<string, unknown>,
    server: builtIn,
    ...more,
    refuse,
    async run(given, signal): Promise<ToolOutcome> {
      const refused = refuse(given);
      if (refused) return refused;
      try {
        return { ok: true, result: await run(read(given).output as never, signal) };
      } catch (thrown) {
        if (thrown instanceof AgentError) return failed(thrown.code, thrown.message);
        throw thrown;
      }
    },
  };
}

const failed = (code: string, error: string): ToolOutcome => ({ ok: false, result: { error, code } });

/** What every command begins with: the helper as the environment sets it up, or the one line that mends it. Node only. */
import { readEnvironment, type ServeSettings, toVariableMessage } from '../environment.ts';
import type { Log } from '../log.ts';
import { createNodeHelper, type NodeHelper } from '../node.ts';

export function readSettings(log: Log): { settings: ServeSettings; helper: NodeHelper } {
  try {
    const settings = readEnvironment(process.env, log);
    return { settings, helper: createNodeHelper(settings.options) };
  } catch (error) {
    return quit(toVariableMessage((error as Error).message));
  }
}

export function quit(message: string): never {
  process.stderr.write(`porchlight: ${message}\n`);
  process.exit(1);
}

/** What is misspelt would be taken for not said. @param args of the command, by their names; @param words that belong to no flag */
export function refuseUnknown(
  rawArgs: readonly string[],
  args: object = {},
  words: readonly string[] = [],
): void {
  const known = Object.keys(args).map((name) => `--${name}`);
  for (const arg of rawArgs) {
    const [flag = '', value] = arg.split('=');
    const { type } = (args as Record<string, { type?: string } | undefined>)[flag.slice(2)] ?? {};
    if (type === 'boolean' && value !== undefined) quit(`${flag} is given without a value, or not at all`);
    if (!flag.startsWith('-') || known.includes(flag)) continue;
    quit(
      `${flag} is not known: ${known.length > 0 ? `there is ${known.join(', ')}` : 'variables alone set it up, as PORT and PORCHLIGHT_ORIGINS'}`,
    );
  }
  if (words[0] !== undefined) quit(`${words[0]} is not known here: each value stands behind its flag`);
}

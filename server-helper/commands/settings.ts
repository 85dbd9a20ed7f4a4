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

/** What is misspelt would be taken for not said. @param args of the command, by their names */
export function refuseUnknownFlags(rawArgs: readonly string[], args: object = {}): void {
  const known = Object.keys(args).map((name) => `--${name}`);
  for (const arg of rawArgs) {
    const [flag = ''] = arg.split('=');
    if (!flag.startsWith('-') || known.includes(flag)) continue;
    quit(
      `${flag} is not known: ${known.length > 0 ? `there is ${known.join(', ')}` : 'variables alone set it up, as PORT and PORCHLIGHT_ORIGINS'}`,
    );
  }
}

/** `porchlight/environment`: the options that `porchlight serve` takes, for a helper mounted in an app of its own. Node, Bun and Deno. */
import type { HelperOptions } from './config.ts';
import { type Environment, readEnvironment as readSettings, toVariableMessage } from './environment.ts';
import { consoleLog, type Log } from './log.ts';

/**
 * Reads the `PORCHLIGHT_…` variables; `PORCHLIGHT_STORE` is `sqlite:porchlight.db` by default.
 * @throws TypeError naming the variable that is wrong, never its value
 */
export function readEnvironment(env: Environment = process.env, log: Log = consoleLog): HelperOptions {
  try {
    return readSettings(env, log).options;
  } catch (error) {
    throw new TypeError(toVariableMessage((error as Error).message));
  }
}

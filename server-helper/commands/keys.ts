/** `porchlight keys`: makes secrets, each as the line of the environment that it goes into. Node only. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { defineCommand } from 'citty';
import { givenSecret, keptSecret } from '../auth/keyring.ts';
import { openStore, readStoreName, toVariableMessage } from '../environment.ts';
import { quit, refuseUnknown } from './settings.ts';

/** Those of which several may stand side by side while one takes the other's place. */
const rotated = ['SSO_SECRET', 'SESSION_SECRET', 'WEBHOOK_SECRET'];
const made = [...rotated, 'METRICS_TOKEN'];

export const makeSecret = () => randomBytes(32).toString('hex');

export const keys = defineCommand({
  meta: {
    name: 'keys',
    description: 'Make secrets for the PORCHLIGHT_… variables, or a new one beside the old',
  },
  args: {
    rotate: {
      type: 'string',
      description: `${rotated.join(', ')}: a new one, and behind it those that the variable has now`,
    },
  },
  async run({ args, rawArgs, cmd }) {
    refuseUnknown(rawArgs, cmd.args, args._);
    const { rotate } = args;
    if (rotate === undefined) {
      for (const name of made) process.stdout.write(`PORCHLIGHT_${name}=${makeSecret()}\n`);
      return;
    }
    const name = rotate.replace(/^PORCHLIGHT_/, '');
    if (!rotated.includes(name)) quit(`--rotate takes ${rotated.join(', ')}`);
    const set = process.env[`PORCHLIGHT_${name}`]?.trim();
    const now = set || (name === 'SESSION_SECRET' ? await recallKept() : undefined);
    if (!now) quit(`PORCHLIGHT_${name} is not set: there is nothing to rotate`);
    process.stdout.write(`PORCHLIGHT_${name}=${makeSecret()},${now}\n`);
  },
});

/** The one that was made because none was set: guests have their sessions by it. */
async function recallKept(): Promise<string | undefined> {
  const name = readStoreName(process.env);
  // Nothing is made here by looking for it.
  if (name.startsWith('sqlite:') && !existsSync(name.slice('sqlite:'.length))) return undefined;
  try {
    const store = openStore(name);
    const [kept, isGiven] = await Promise.all([store.recall(keptSecret), store.recall(givenSecret)]);
    await store.close();
    if (isGiven)
      quit(
        'the helper has a PORCHLIGHT_SESSION_SECRET, which is not set here: set it, and it stays behind the new one',
      );
    return kept;
  } catch (error) {
    return quit(toVariableMessage((error as Error).message));
  }
}

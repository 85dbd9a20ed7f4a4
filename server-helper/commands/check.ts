/** `porchlight check`: looks at a set-up as `serve` would run it, and says what is wrong and what mends it. */
import { defineCommand } from 'citty';
import { createNodeDispatch } from '../agent/dispatch-sockets.ts';
import { readOptions } from '../config.ts';
import type { Log } from '../log.ts';
import { checkAddress } from './check-address.ts';
import { checkAgent } from './check-agent.ts';
import { checkQuestion } from './check-question.ts';
import { checkSettings } from './check-settings.ts';
import { checkSignIn } from './check-sign-in.ts';
import type { Finding } from './finding.ts';
import { quit, readSettings, refuseUnknown } from './settings.ts';

/** Who asks here: without an address all visitors would share one limit, and the log say so. */
const here = { address: '127.0.0.1' };

const marks = { ok: 'ok   ', note: 'note ', wrong: 'WRONG' };

export const check = defineCommand({
  meta: {
    name: 'check',
    description: 'Say what is wrong with the set-up that the PORCHLIGHT_… variables give',
  },
  args: {
    url: {
      type: 'string',
      description: 'where visitors reach the helper, as https://chat.example/porchlight: looked at too',
    },
    ask: {
      type: 'boolean',
      description:
        'sign one visitor in at the agent and ask one question, as a visitor would; it may cost credits',
    },
  },
  async run({ args, rawArgs, cmd }) {
    refuseUnknown(rawArgs, cmd.args, args._);
    const heard = hear();
    const url = args.url === undefined ? undefined : toUrl(args.url);
    const { settings, helper } = readSettings(heard.log);
    const config = readOptions(settings.options);
    const { dispatch, close } = createNodeDispatch();
    let faults = 0;
    const tell = (findings: readonly Finding[]) => {
      for (const { about, state, text } of findings)
        process.stdout.write(`${marks[state]} ${about}: ${text}\n`);
      faults += findings.filter(({ state }) => state === 'wrong').length;
    };
    tell(await checkSettings(config));
    const ofAgent = await checkAgent(config, dispatch);
    tell(ofAgent);
    const ofAddress = url === undefined ? undefined : await checkAddress(url, config);
    tell(ofAddress ?? []);
    const isThere = !ofAddress || ofAddress.some(({ state }) => state === 'ok');
    // Without an agent there is nobody to ask, and without a helper nobody who would.
    if (args.ask && isThere && ofAgent.every(({ state }) => state !== 'wrong')) {
      tell(await checkSignIn(config, dispatch));
      heard.forget();
      tell(
        await checkQuestion(
          config,
          url === undefined
            ? (path, init) =>
                helper.fetch(new Request(`http://localhost${config.basePath}${path}`, init), here)
            : (path, init) => fetch(url + path, init),
          url === undefined ? heard.readLast : undefined,
        ),
      );
    }
    await Promise.allSettled([helper.close(0), close()]);
    process.stdout.write(faults === 0 ? 'Nothing is wrong.\n' : `${faults} to mend.\n`);
    process.exitCode = faults === 0 ? 0 : 1;
  },
});

/** A log of which the last line is kept, but for the one that each failed turn has: the helper that is asked here has no other. */
function hear(): { log: Log; readLast: () => string | undefined; forget: () => void } {
  let last: string | undefined;
  const keep: Log['warn'] = ({ status, agentCode, cause }, message) => {
    if (last !== undefined && message === 'a turn failed') return;
    const known = [status, agentCode, cause].filter((one) => one !== undefined).join(', ');
    last = known === '' ? message : `${message} (${known})`;
  };
  return {
    log: { info() {}, warn: keep, error: keep },
    readLast: () => last,
    forget() {
      last = undefined;
    },
  };
}

function toUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    quit('--url must be an address as https://chat.example/porchlight');
  const { username, password, search, hash } = new URL(text);
  if (username || password || search || hash) quit('--url must be without user, query and fragment');
  return text.replace(/\/+$/, '');
}
